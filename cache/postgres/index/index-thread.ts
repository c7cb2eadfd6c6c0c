/** The program of the thread that builds the index of a PostgreSQL store. It opens its own connection. */
import { workerData } from 'node:worker_threads'
import { serveThread } from '../../sqlite/index/building/serve-thread.js'
import type { ServerAddress } from '../connection/address.js'
import { openOwnSource } from './open-postgres-index.js'

const { address, file } = workerData as { readonly address: ServerAddress; readonly file: string }
serveThread({ openSource: () => openOwnSource(address), file })
