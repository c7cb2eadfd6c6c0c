import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { makeKubernetesManifest } from '../../../../src/service/launch/kubernetes-manifest.js'
import { planWorkers } from '../../../../src/service/launch/worker-plan.js'

const store = 'postgres://ada:s3cret@db.example/evals?media=/shared/evals'
const read = (text: string): unknown => parse(text)

test('writes an Indexed Job with probes, resources, volumes and secrets by name', () => {
  const plan = planWorkers(store, { workers: 3, gpus: 1, grace: 90, allowDir: ['/shared/$(tasks)'] })
  const flags = { image: 'reg/pipeline:1', namespace: 'evals', volume: ['evals:/shared/evals'], envSecret: ['keys'] }
  const text = makeKubernetesManifest(plan, flags)
  expect(text).not.toContain('s3cret')
  expect(read(text)).toMatchObject({
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: 'pipeline-workers', namespace: 'evals' },
    spec: {
      completionMode: 'Indexed',
      completions: 3,
      parallelism: 3,
      backoffLimitPerIndex: 10,
      podFailurePolicy: {
        rules: [{ action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] }],
      },
      template: {
        spec: {
          // A failure policy needs it.
          restartPolicy: 'Never',
          terminationGracePeriodSeconds: 90,
          containers: [
            {
              name: 'worker',
              image: 'reg/pipeline:1',
              command: ['pipeline'],
              args: [
                ...['worker', '--store', 'postgres://ada@db.example/evals?media=/shared/evals'],
                // Kubernetes would replace a single $.
                ...['--allow-dir', '/shared/$$(tasks)', '--idle', '300', '--alive-file', '/work/alive'],
              ],
              envFrom: [{ secretRef: { name: 'keys' } }],
              resources: { requests: { cpu: '2', memory: '4Gi' }, limits: { memory: '4Gi', 'nvidia.com/gpu': 1 } },
              startupProbe: { exec: { command: ['test', '-e', '/work/alive'] } },
              livenessProbe: { exec: { command: ['sh', '-c', expect.stringContaining('/work/alive')] } },
              volumeMounts: [
                { name: 'work', mountPath: '/work' },
                { name: 'shared-0', mountPath: '/shared/evals' },
              ],
            },
          ],
          volumes: [
            { name: 'work', emptyDir: {} },
            { name: 'shared-0', persistentVolumeClaim: { claimName: 'evals' } },
          ],
        },
      },
    },
  })
})

test('writes a Deployment of long-running workers, with the engine as a sidecar with the GPUs', () => {
  const plan = planWorkers(
    store,
    { workers: 2, gpus: 4, engine: 'vllm serve /m --port 9000', engineUrl: 'http://127.0.0.1:9000/v1/' },
    { endsIdle: false },
  )
  const text = makeKubernetesManifest(plan, { image: 'a', kind: 'deployment', engineImage: 'vllm' })
  const manifest = read(text) as {
    readonly spec: { readonly template: { readonly metadata: unknown; readonly spec: unknown } }
  }
  expect(text).not.toContain('--idle')
  const labels = { 'app.kubernetes.io/name': 'pipeline', 'app.kubernetes.io/instance': 'pipeline-workers' }
  const probe = { httpGet: { path: '/v1/models', port: 9000 } }
  expect(manifest).toMatchObject({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    spec: {
      replicas: 2,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          initContainers: [
            {
              name: 'engine',
              image: 'vllm',
              restartPolicy: 'Always',
              command: ['sh', '-c', 'vllm serve /m --port 9000'],
              resources: { limits: { 'nvidia.com/gpu': 4 } },
              startupProbe: probe,
              livenessProbe: probe,
            },
          ],
          containers: [
            {
              args: expect.arrayContaining(['base_url=http://127.0.0.1:9000/v1']) as unknown,
              resources: { limits: { memory: '4Gi' } },
            },
          ],
        },
      },
    },
  })
  // A Deployment's pods are always started again.
  expect(manifest.spec.template.spec).not.toHaveProperty('restartPolicy')
})

test('rejects a missing image and a volume without a path', () => {
  const plan = planWorkers(store, { engine: 'x' })
  expect(() => makeKubernetesManifest(plan, {})).toThrow('--image: name the image with pipeline')
  expect(() => makeKubernetesManifest(plan, { image: 'a' })).toThrow('--engine also needs --engine-image')
  expect(() => makeKubernetesManifest(plan, { image: 'a', engineImage: 'b', volume: ['evals'] })).toThrow(
    '--volume: expected CLAIM:PATH',
  )
})
