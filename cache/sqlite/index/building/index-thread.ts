/** The thread of the index of a store in a folder. */
import { workerData } from 'node:worker_threads'
import { openSqliteSource } from '../source/sqlite-source.js'
import { serveThread } from './serve-thread.js'

const { dir, file } = workerData as { readonly dir: string; readonly file: string }
serveThread({ openSource: () => openSqliteSource(dir), file })
