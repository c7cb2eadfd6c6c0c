import { stringify } from 'yaml'
import { PipelineError } from '../../../base/errors/errors.js'
import type { Json } from '../../../base/values/canonical-json.js'
import type { KubernetesFlags } from '../../config/launch-options.js'
import { modelsPath, type WorkerPlan } from './worker-plan.js'

type Flags = Pick<KubernetesFlags, 'image' | 'kind' | 'namespace' | 'volume' | 'envSecret' | 'engineImage'>
type Entries = Readonly<Record<string, Json>>

/** The folder of a worker's own files, and the file that it touches while it works. */
const workFolder = '/work'
const aliveFile = `${workFolder}/alive`
/** A worker that is silent for this long has lost its leases, in seconds. */
const silence = 60

/**
 * Writes a manifest of workers: an Indexed Job that ends when the queue is empty, or a Deployment of workers that stay.
 *
 * The engine is a sidecar (Kubernetes 1.29 or newer): it starts before the worker and ends after it, so that the worker can drain.
 *
 * @throws PipelineError (usage) if an image is missing, or a volume is not written as CLAIM:PATH
 */
export function makeKubernetesManifest(plan: WorkerPlan, flags: Flags): string {
  const { image, kind = 'job', engineImage } = flags
  const volumes = (flags.volume ?? []).map(text => /^([a-z0-9][a-z0-9.-]*):(\/.+)$/.exec(text))
  const problems = [
    ...(image === undefined ? ['--image: name the image with pipeline'] : []),
    ...(plan.engine !== undefined && engineImage === undefined ? ['--engine also needs --engine-image'] : []),
    ...(flags.volume ?? []).flatMap((text, index) =>
      volumes[index] === null
        ? [`--volume: expected CLAIM:PATH such as evals:/shared/evals, given ${JSON.stringify(text)}`]
        : [],
    ),
  ]
  if (image === undefined || problems.length > 0) throw new PipelineError('usage', problems)
  const claims = volumes.flatMap((match, index) => {
    const [, claimName = '', mountPath = ''] = match ?? []
    return match === null ? [] : [{ name: `shared-${index}`, claimName, mountPath }]
  })
  const mounts = [
    { name: 'work', mountPath: workFolder },
    ...claims.map(({ name, mountPath }) => ({ name, mountPath })),
  ]
  const pod: Entries = {
    ...(kind === 'job' && { restartPolicy: 'Never' }),
    terminationGracePeriodSeconds: plan.grace,
    automountServiceAccountToken: false,
    ...(plan.engine !== undefined &&
      engineImage !== undefined && { initContainers: [makeEngine(plan, plan.engine, { image: engineImage, mounts })] }),
    containers: [makeWorker(plan, { image, mounts, secrets: flags.envSecret ?? [] })],
    volumes: [
      { name: 'work', emptyDir: {} },
      ...claims.map(({ name, claimName }) => ({ name, persistentVolumeClaim: { claimName } })),
    ],
  }
  const labels = { 'app.kubernetes.io/name': 'pipeline', 'app.kubernetes.io/instance': plan.name }
  const metadata: Entries = {
    name: plan.name,
    ...(flags.namespace !== undefined && { namespace: flags.namespace }),
    labels,
  }
  const template = { metadata: { labels }, spec: pod }
  const manifest: Entries =
    kind === 'job'
      ? { apiVersion: 'batch/v1', kind: 'Job', metadata, spec: { ...jobRules(plan.workers), template } }
      : {
          ...{ apiVersion: 'apps/v1', kind: 'Deployment', metadata },
          spec: { replicas: plan.workers, selector: { matchLabels: labels }, template },
        }
  return stringify(manifest, { lineWidth: 0, aliasDuplicateObjects: false })
}

/** A pod that is evicted does not count as a failure; any other that ends with an error is started again, each index ten times. */
const jobRules = (workers: number): Entries => ({
  completionMode: 'Indexed',
  completions: workers,
  parallelism: workers,
  backoffLimitPerIndex: 10,
  podFailurePolicy: { rules: [{ action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] }] },
})

/** Kubernetes replaces `$(NAME)` in words, also where a path means it. */
const escapeWord = (word: string): string => word.replaceAll('$(', '$$$$(')

interface Place {
  readonly image: string
  readonly mounts: readonly { readonly name: string; readonly mountPath: string }[]
}

const makeWorker = (
  { words, cpus, memoryGb, gpus, engine }: WorkerPlan,
  { image, mounts, secrets }: Place & { readonly secrets: readonly string[] },
): Entries => ({
  name: 'worker',
  image,
  command: ['pipeline'],
  args: [...words, '--alive-file', aliveFile].map(escapeWord),
  workingDir: workFolder,
  ...(secrets.length > 0 && { envFrom: secrets.map(name => ({ secretRef: { name } })) }),
  resources: makeResources({ cpus, memoryGb, gpus: engine === undefined ? gpus : 0 }),
  startupProbe: { exec: { command: ['test', '-e', aliveFile] }, periodSeconds: 2, failureThreshold: 60 },
  livenessProbe: {
    exec: { command: ['sh', '-c', `test $(( $(date +%s) - $(stat -c %Y ${aliveFile}) )) -lt ${silence}`] },
    ...{ periodSeconds: 20, failureThreshold: 3 },
  },
  volumeMounts: mounts,
})

function makeEngine(
  { gpus, cpus, memoryGb }: WorkerPlan,
  { command, url }: NonNullable<WorkerPlan['engine']>,
  { image, mounts }: Place,
): Entries {
  const port = Number(url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : url.port)
  const httpGet = { path: modelsPath(url), port, ...(url.protocol === 'https:' && { scheme: 'HTTPS' }) }
  return {
    name: 'engine',
    image,
    restartPolicy: 'Always',
    command: ['sh', '-c', escapeWord(command)],
    resources: gpus === 0 ? makeResources({ cpus, memoryGb, gpus }) : { limits: { 'nvidia.com/gpu': gpus } },
    // A large model takes its time to load.
    startupProbe: { httpGet, periodSeconds: 5, failureThreshold: 720 },
    livenessProbe: { httpGet, periodSeconds: 20, timeoutSeconds: 10, failureThreshold: 6 },
    volumeMounts: mounts.filter(({ name }) => name !== 'work'),
  }
}

const makeResources = ({ cpus, memoryGb, gpus }: Pick<WorkerPlan, 'cpus' | 'memoryGb' | 'gpus'>): Entries => ({
  requests: { cpu: String(cpus), memory: `${memoryGb}Gi` },
  limits: { memory: `${memoryGb}Gi`, ...(gpus > 0 && { 'nvidia.com/gpu': gpus }) },
})
