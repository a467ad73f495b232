/** The worker thread that parses one library index and ends; started by `index-parser.ts`. */
import { parentPort, workerData } from 'node:worker_threads';
import { type IndexOptions, parseLibraryIndex } from './library-index.js';

const { bytes, options } = workerData as { bytes: Uint8Array; options: IndexOptions };
parentPort?.postMessage(parseLibraryIndex(bytes, options));
