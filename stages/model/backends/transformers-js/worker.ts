/** The entry of a worker process. */
import { serveEngine } from '../local-models/serve-engine.js'
import { openEngine } from './engine.js'

serveEngine(openEngine)
