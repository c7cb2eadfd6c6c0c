/** Options of `pipeline eval` for the processes that share the work of a run. */
import { option } from '../option.js'
import { whole, yesNo } from '../values/option-values.js'

export const processOptions = {
  workers: option({
    flag: '--workers <n>',
    help: 'number of processes of this machine that share the run; with --detach: number of jobs (1)',
    ...whole(1),
    isIdentity: false,
    stored: 'no',
  }),
  detach: option({
    flag: '--detach',
    help: 'create the run, leave it to processes of pipeline worker, and end at once',
    docs: 'create the run, leave it to processes of [`pipeline worker`](service.md#pipeline-worker), and end at once',
    ...yesNo,
    isIdentity: false,
    stored: 'no',
  }),
}
