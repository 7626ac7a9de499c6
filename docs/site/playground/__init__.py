"""The playground: the whole program in the browser, by Pyodide."""
