// Last: what the address says.
addEventListener("load", readAddress);
