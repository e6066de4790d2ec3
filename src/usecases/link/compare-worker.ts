/** The program of a worker thread that compares listings for a linking run. */
export { comparePairs as default } from './compare-pairs.js';
