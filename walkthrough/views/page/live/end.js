// All of the face is there: the address may ask for any of it. What a program has changed before replaces it.
on(window, "hashchange", readAddress);
if (location.hash && !engine.changes().length) readAddress();
