import { PipelineError } from '../../../base/errors/errors.js'
import { shellWord } from '../../../base/text/shell-word.js'
import type { SlurmFlags } from '../../config/launch-options.js'
import { modelsPath, type WorkerPlan } from './worker-plan.js'

/**
 * Writes the script of an array job with one worker a node.
 *
 * Slurm does not restart a job whose process was killed. The script therefore restarts a worker that exits with an error. Other workers have taken
 * over its job by then.
 *
 * @throws PipelineError (usage) if a value is no option of sbatch
 */
export function makeSlurmScript(plan: WorkerPlan, flags: Pick<SlurmFlags, 'partition' | 'time' | 'sbatch'>): string {
  const { name, workers, grace, cpus, memoryGb, gpus } = plan
  const userOptions = [
    ...(flags.partition === undefined ? [] : [`--partition=${flags.partition}`]),
    ...(flags.time === undefined ? [] : [`--time=${flags.time}`]),
    ...(flags.sbatch ?? []),
  ]
  const wrong = userOptions.filter(text => !/^--?[a-zA-Z][^\n\r]*$/.test(text) || /^--(partition|time)=.*\s/.test(text))
  if (wrong.length > 0)
    throw new PipelineError(
      'usage',
      wrong.map(text => `${JSON.stringify(text)} is no option of sbatch, such as --qos=high`),
    )
  const options = [
    `--job-name=${name}`,
    `--array=1-${workers}`,
    '--nodes=1',
    '--ntasks=1',
    `--cpus-per-task=${cpus}`,
    `--mem=${memoryGb}G`,
    ...(gpus === 0 ? [] : [`--gpus-per-node=${gpus}`]),
    // Only the script gets this signal, so that the worker drains while the engine still answers.
    `--signal=B:USR1@${grace}`,
    '--requeue',
    '--open-mode=append',
    `--output=${name}-%A_%a.log`,
    ...userOptions,
  ]
  const worker = plan.words.map(shellWord).join(' ')
  return `#!/bin/bash
${options.map(text => `#SBATCH ${text}`).join('\n')}

# Workers of a store, one on each node. Written by pipeline launch slurm.
# PIPELINE is the program, if it is not on the PATH.
set -uo pipefail
read -ra pipeline <<< "\${PIPELINE:-pipeline}"
worker='' engine='' stopping=0

# Slurm sends USR1 to this script alone, before the time limit. The worker finishes what is in flight.
drain() {
  stopping=1
  [[ -z $worker ]] || kill -TERM "$worker" 2> /dev/null
}
trap drain USR1
# At scancel and preemption, Slurm sends TERM to all processes of the job. A second one would end the worker at once.
trap 'stopping=1' TERM

${plan.engine === undefined ? noEngine : startEngine(plan.engine)}
code=1
for attempt in {1..10}; do
  ((stopping)) && break
  if start_engine; then
    "\${pipeline[@]}" ${worker} &
    worker=$!
    ((stopping)) && drain
    is_told=0
    while kill -0 "$worker" 2> /dev/null; do
      # A worker without its engine stops, so that other nodes get its requests. A second signal would end it at once.
      if ((!is_told && !stopping)) && ! engine_lives; then is_told=1; kill -TERM "$worker"; fi
      sleep 1 & wait $!
    done
    wait "$worker"; code=$?
    worker=''
    if ((code == 0)) && engine_lives; then break; fi
  fi
  ((stopping)) && break
  echo "attempt $attempt of 10: the worker ended with exit code $code, or its engine ended. Both are started again." >&2
  stop_engine
  sleep 5 & wait $!
done
stop_engine
exit "$code"
`
}

const noEngine = `start_engine() { :; }
engine_lives() { :; }
stop_engine() { :; }
`

const startEngine = ({ command, url }: NonNullable<WorkerPlan['engine']>): string => `start_engine() {
  setsid bash -c ${shellWord(command)} &
  engine=$!
  until curl --silent --fail --output /dev/null ${shellWord(url.origin + modelsPath(url))}; do
    engine_lives || return 1
    ((stopping)) && return 1
    sleep 1 & wait $!
  done
}
engine_lives() { kill -0 "$engine" 2> /dev/null; }
stop_engine() {
  kill -TERM -- "-$engine" 2> /dev/null
  wait "$engine" 2> /dev/null
}
`
