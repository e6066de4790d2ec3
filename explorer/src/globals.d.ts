/** Style sheets are bundled into a file of their own. */
declare module '*.css';

/** A type of Node.js that schemas of the service mention, and answers in a browser never have. */
type Buffer = Uint8Array;
