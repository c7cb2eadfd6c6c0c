import { spawn } from 'node:child_process'
import { PipelineError } from '../../../../base/errors/errors.js'
import type { Command } from 'commander'
import {
  kubernetesOptions,
  launchOptions,
  slurmOptions,
  type KubernetesFlags,
  type LaunchFlags,
  type SlurmFlags,
} from '../../../config/launch-options.js'
import { addFlags } from '../../../config/option.js'
import { jobPolicyOptions, modelArgsFlag, stagesFlag, workOptions } from '../../../config/service-options.js'
import { makeKubernetesManifest } from '../../../service/launch/kubernetes-manifest.js'
import { makeSlurmScript } from '../../../service/launch/slurm-script.js'
import { planWorkers } from '../../../service/launch/worker-plan.js'
import type { WorkerFlags } from '../../../service/settings.js'
import type { DefineCommand, Tools } from '../../command.js'
import { exitCode } from '../../exit-code.js'
import { withExtensions, withStore } from '../../flags/evaluation-options.js'
import { storeDir } from '../../open-run.js'

const slurmHelp = `
Examples:
  pipeline launch slurm --store 'postgres://db/evals?media=/shared/evals' --workers 16 --allow-dir /shared/tasks > workers.sh
  pipeline launch slurm --workers 4 --gpus 1 --engine 'vllm serve /shared/model --port 8000' --time 04:00:00 --submit

The command prints the script of an array job with one worker on each node, or submits it with --submit.`

const kubernetesHelp = `
Examples:
  pipeline launch kubernetes --image registry.example/pipeline --workers 16 --volume evals:/shared/evals --env-secret evals-keys
  pipeline launch kubernetes --image registry.example/pipeline --kind deployment --workers 4 --submit

The command prints the manifest of an Indexed Job or a Deployment of workers, or submits it with kubectl apply.`

type Workers = LaunchFlags & WorkerFlags

/** Defines `pipeline launch slurm | kubernetes`. */
export const defineLaunch: DefineCommand = (command, tools, end) => {
  const slurm = withLaunch(command.command('slurm').description('write the script of an array job of workers'))
  addFlags(slurm, slurmOptions, 'Slurm:')
    .addHelpText('after', slurmHelp)
    .action(async (flags: Workers & SlurmFlags) => {
      const script = makeSlurmScript(planWorkers(storeDir(flags, tools), flags), flags)
      await printOrSubmit(script, flags, { program: 'sbatch', args: [] }, tools)
      end(exitCode({}))
    })
  const kubernetes = withLaunch(
    command.command('kubernetes').description('write the manifest of a Job or Deployment of workers'),
  )
  addFlags(kubernetes, kubernetesOptions, 'Kubernetes:')
    .addHelpText('after', kubernetesHelp)
    .action(async (flags: Workers & KubernetesFlags) => {
      const plan = planWorkers(storeDir(flags, tools), flags, { endsIdle: flags.kind !== 'deployment' })
      const manifest = makeKubernetesManifest(plan, flags)
      await printOrSubmit(manifest, flags, { program: 'kubectl', args: ['apply', '-f', '-'] }, tools)
      end(exitCode({}))
    })
}

function withLaunch(command: Command): Command {
  withExtensions(withStore(command))
  addFlags(command, launchOptions, 'Workers:')
  const { maxJobsPerModel } = workOptions
  addFlags(command, { maxJobsPerModel, ...modelArgsFlag, ...stagesFlag })
  return addFlags(command, jobPolicyOptions, 'What jobs may name:')
}

interface Submitter {
  readonly program: string
  readonly args: readonly string[]
}

async function printOrSubmit(
  text: string,
  { submit }: LaunchFlags,
  submitter: Submitter,
  { terminal }: Tools,
): Promise<void> {
  if (submit === true) terminal.print((await runSubmitter(text, submitter)).trimEnd().split('\n'))
  else terminal.printData(text.trimEnd())
}

/** @throws PipelineError if the program is missing or refuses the text */
async function runSubmitter(text: string, { program, args }: Submitter): Promise<string> {
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'pipe'] })
  let [output, errorOutput] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (output += chunk))
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (errorOutput += chunk))
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', error => {
      reject(
        new PipelineError(
          'usage',
          `--submit: ${program} could not be started (${error.message}). Print the text without --submit, and submit it elsewhere`,
        ),
      )
    })
    child.once('close', resolve)
    // A program that ended early does not read its input; its exit code tells.
    child.stdin.once('error', () => undefined).end(text)
  })
  if (code !== 0)
    throw new PipelineError('usage', [
      `--submit: ${program} ended with exit code ${String(code)}`,
      ...errorOutput
        .trim()
        .split('\n')
        .filter(line => line !== ''),
    ])
  return output
}
