import type { DocStore } from '../../store.js'
import type { Context, Read } from '../connection/context.js'
import { commitDocs, inputProgress } from './docs.js'
import { leaseInput } from './leases.js'

export const sqliteDocs = (context: Context, read: Read): DocStore => ({
  progress: (run, task) => read(() => inputProgress(context, run, task)),
  lease: (run, task) => leaseInput(context, run, task),
  commit: (run, task, docs, finished) => commitDocs(context, { run, task, docs, finished }),
  recommit: (run, task, docs) => commitDocs(context, { run, task, docs, finished: false, isAgain: true }),
})
