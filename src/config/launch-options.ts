/** Options of `pipeline launch`. */
import { option, type FlagsOf } from './option.js'
import { seconds, text, texts, whole, word, yesNo } from './values/option-values.js'

const forLaunch = { isIdentity: false, stored: 'no' } as const

/** Options of the workers and of the engine beside each. */
export const launchOptions = {
  workers: option({
    flag: '--workers <n>',
    help: 'the number of workers, one on each node (1)',
    ...whole(1),
    ...forLaunch,
  }),
  idle: option({
    flag: '--idle <seconds>',
    help: 'time without a job after which a worker ends and frees its node (300)',
    ...seconds,
    ...forLaunch,
  }),
  grace: option({
    flag: '--grace <seconds>',
    help: 'time for the requests in flight before a worker is killed (120)',
    ...whole(1),
    ...forLaunch,
  }),
  cpus: option({ flag: '--cpus <n>', help: 'processors of a worker (2)', ...whole(1), ...forLaunch }),
  memoryGb: option({ flag: '--memory-gb <n>', help: 'memory of a worker, in GiB (4)', ...whole(1), ...forLaunch }),
  gpus: option({ flag: '--gpus <n>', help: 'GPUs of a node, for its engine (0)', ...whole(0), ...forLaunch }),
  engine: option({
    flag: '--engine <command>',
    help: "start this engine beside each worker: 'vllm serve /shared/model --port 8000'",
    ...text('a command line'),
    ...forLaunch,
  }),
  engineUrl: option({
    flag: '--engine-url <url>',
    help: 'the address of the engine, as base_url of each job (http://127.0.0.1:8000/v1)',
    ...text('an address'),
    ...forLaunch,
  }),
  jobName: option({
    flag: '--job-name <name>',
    help: 'the name of the job (pipeline-workers)',
    ...text('a name'),
    ...forLaunch,
  }),
  submit: option({
    flag: '--submit',
    help: 'submit it, with sbatch or kubectl, instead of printing it',
    ...yesNo,
    ...forLaunch,
  }),
}

export const slurmOptions = {
  partition: option({ flag: '--partition <name>', help: 'the partition', ...text('a name'), ...forLaunch }),
  time: option({
    flag: '--time <time>',
    help: 'the time limit of a worker, as Slurm has it: 04:00:00',
    ...text('a time'),
    ...forLaunch,
  }),
  sbatch: option({
    flag: '--sbatch <option>',
    help: "a further option of sbatch, such as '--qos=high'; may be repeated",
    ...texts('an option of sbatch, or a list of them'),
    ...forLaunch,
  }),
}

export const kubernetesOptions = {
  image: option({ flag: '--image <image>', help: 'the image with pipeline', ...text('an image'), ...forLaunch }),
  kind: option({
    flag: '--kind <kind>',
    help: 'job (default): ends when the queue is empty; deployment: workers that stay',
    ...word(['job', 'deployment']),
    ...forLaunch,
  }),
  namespace: option({ flag: '--namespace <name>', help: 'the namespace', ...text('a name'), ...forLaunch }),
  volume: option({
    flag: '--volume <claim:path>',
    help: 'mount a persistent volume claim, such as evals:/shared/evals; may be repeated',
    ...texts('CLAIM:PATH, or a list of them'),
    ...forLaunch,
  }),
  envSecret: option({
    flag: '--env-secret <name>',
    help: 'a Secret whose keys are environment variables, such as PGPASSWORD; may be repeated',
    ...texts('the name of a Secret, or a list of them'),
    ...forLaunch,
  }),
  engineImage: option({
    flag: '--engine-image <image>',
    help: 'the image of the engine',
    ...text('an image'),
    ...forLaunch,
  }),
}

export type LaunchFlags = FlagsOf<typeof launchOptions>
export type SlurmFlags = LaunchFlags & FlagsOf<typeof slurmOptions>
export type KubernetesFlags = LaunchFlags & FlagsOf<typeof kubernetesOptions>
