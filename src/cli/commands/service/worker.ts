import { addFlags } from '../../../config/option.js'
import { jobPolicyOptions, workerOptions, workOptions } from '../../../config/service-options.js'
import { parseArguments } from '../../../config/argument-string.js'
import { secretTexts } from '../../../config/secrets.js'
import { giveSigns, runWorker } from '../../../service/jobs/run-worker.js'
import type { WorkerFlags } from '../../../service/settings.js'
import type { DefineCommand } from '../../command.js'
import { exitCode } from '../../exit-code.js'
import { withExtensions, withStore } from '../../flags/evaluation-options.js'
import { boundHeapGrowth } from '../../this-process/heap-growth.js'
import { withInterruption } from '../../this-process/interruption.js'
import { locateStore, withOpenStore } from '../../open-run.js'

const help = `
Examples:
  pipeline worker --store runs --allow-dir ./tasks
  pipeline worker --store postgres://db/evals?media=/shared/evals --allow-dir /shared/tasks --model-args base_url=http://127.0.0.1:8000/v1
  pipeline worker --store postgres://db/evals?media=/shared/evals --allow-dir /shared/tasks --stages judge

A worker takes jobs that a service or pipeline eval --detach put into the store, one at a time, until Ctrl-C or SIGTERM. It then finishes
the requests in flight and puts its job back into the queue. Start any number of workers, each with flags for what jobs may name. Jobs of
one run share its requests. With --stages, a job waits for a worker of its next stage. If a worker dies, another one takes its job over.
The workers of a store in a folder must run on the same machine; those of a store on PostgreSQL may run on any.`

/** Defines `pipeline worker`. */
export const defineWorker: DefineCommand = (command, tools, end) => {
  withExtensions(withStore(command))
  const { maxJobsPerModel } = workOptions
  addFlags(command, { maxJobsPerModel, ...workerOptions }, 'Jobs:')
  addFlags(command, jobPolicyOptions, 'What jobs may name:')
  command.addHelpText('after', help).action(async (flags: WorkerFlags) => {
    boundHeapGrowth()
    tools.terminal.mask(secretTexts(parseArguments(flags.modelArgs ?? [], '--model-args')))
    const endSigns = giveSigns(flags.aliveFile)
    const { terminal, env } = tools
    await withInterruption(tools, ({ drain: stop }) =>
      withOpenStore(locateStore(flags, tools), 'write', store =>
        runWorker(store, flags, { env, stop, tell: line => terminal.tell(line) }),
      ),
    ).finally(endSigns)
    end(exitCode({}))
  })
}
