import type { RunStore } from '../../store.js'
import type { Context, Read } from '../connection/context.js'
import { isWorkedOnElsewhere } from './leases.js'
import { counts, createRun, findRun, listRuns, removeRun, touchRun } from './runs.js'

export const sqliteRuns = (context: Context, read: Read): RunStore => ({
  create: (asked, provenance, preimages) => createRun(context, { asked, provenance, preimages }),
  find: id => read(() => findRun(context, id)),
  list: () => read(() => listRuns(context)),
  remove: run => removeRun(context, run),
  touch: run => touchRun(context, run),
  counts: run => read(() => counts(context, run)),
  isWorkedOnElsewhere: run => read(() => isWorkedOnElsewhere(context, run)),
})
