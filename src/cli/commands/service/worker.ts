import { addFlags } from '../../../config/option.js'
import { jobPolicyOptions, workOptions } from '../../../config/service-options.js'
import { wholeNumber } from '../../../config/values/option-values.js'
import { giveSigns, runWorker } from '../../../service/jobs/run-worker.js'
import type { WorkerFlags } from '../../../service/settings.js'
import type { DefineCommand } from '../../command.js'
import { exitCode } from '../../exit-code.js'
import { withExtensions, withStore } from '../../flags/evaluation-options.js'
import { boundHeapGrowth } from '../../heap-growth.js'
import { listenForInterruption } from '../../interruption.js'
import { storePlace, withOpenStore } from '../../open-run.js'

const help = `
Example:
  pipeline worker --store runs --allow-dir ./tasks

Takes jobs that a service put into the store, one at a time, until Ctrl-C. Start as many workers as are wanted, each with the
same flags for what jobs may name as the server. A job whose worker is gone is taken up by another one.`

/** Defines `pipeline worker`. */
export const defineWorker: DefineCommand = (command, tools, end) => {
  withExtensions(withStore(command))
  const { maxJobsPerModel } = workOptions
  addFlags(command, { maxJobsPerModel }, 'Jobs:')
    .option('--idle <seconds>', 'end after so long without a job (never)', wholeNumber('--idle', { min: 1 }))
    .option('--jobs <n>', 'end after so many jobs (never)', wholeNumber('--jobs', { min: 1 }))
  addFlags(command, jobPolicyOptions, 'What jobs may name:')
  command.addHelpText('after', help).action(async (flags: WorkerFlags) => {
    boundHeapGrowth()
    const endSigns = giveSigns()
    const interruption = listenForInterruption(
      line => {
        tools.terminal.tell(line)
      },
      () => undefined,
      tools.leave,
    )
    try {
      await withOpenStore(storePlace(flags, tools), 'write', store =>
        runWorker(store, flags, {
          env: tools.env,
          stop: interruption.drain,
          tell: line => {
            tools.terminal.tell(line)
          },
        }),
      )
    } finally {
      endSigns()
      interruption.release()
    }
    end(exitCode({}))
  })
}
