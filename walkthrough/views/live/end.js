// All of the face is there: the address may ask for any of it.
on(window, "hashchange", readAddress);
readAddress();
