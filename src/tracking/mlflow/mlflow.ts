import { basename } from 'node:path'
import { z } from 'zod'
import { PipelineError } from '../../../base/errors/errors.js'
import { option } from '../../../base/errors/option-words.js'
import { isObject } from '../../../base/values/canonical-json.js'
import { withoutSecretValues } from '../../config/secrets.js'
import type { Environment } from '../../config/settings.js'
import { variable } from '../../config/variables.js'
import type { TrackedRun } from '../tracked-run.js'
import { defineTracker, textSetting, wholeSetting, yesNoSetting, type Sending, type Sent } from '../tracker.js'
import { openMlflow, MlflowRefusal, type MlflowClient } from './client.js'
import { batchLimits, cleanNames, cutValue, longestName, longestParameter, longestTag, splitList } from './limits.js'

const settings = z.strictObject({
  uri: textSetting.optional(),
  experiment: textSetting.optional(),
  name: textSetting.optional(),
  step: wholeSetting.optional(),
  samples: yesNoSetting.optional(),
  report: yesNoSetting.optional(),
})
type Settings = z.output<typeof settings>

/** A run of MLflow: parameters, metrics, tags and files, over its REST API. No package is needed. */
export const mlflow = defineTracker({
  id: 'mlflow',
  summary: 'a server of MLflow',
  settings,
  main: 'uri',
  place: (ownSettings, env) =>
    `${String(withoutSecretValues(serverIn(ownSettings, env)))} ${experimentIn(ownSettings, env)}`,
  async send(run, sending): Promise<Sent> {
    const base = serverIn(sending.settings, sending.env)
    const client = openMlflow(base, sending.env, sending.signal)
    const experiment = await findExperiment(client, experimentIn(sending.settings, sending.env))
    const earlierRun = await findRun(client, experiment, run)
    const where = (id: string): string => `${String(withoutSecretValues(base))}/#/experiments/${experiment}/runs/${id}`
    if (
      earlierRun !== undefined &&
      !sending.again &&
      earlierRun.digest === sending.digest &&
      earlierRun.status === 'FINISHED'
    )
      return { id: earlierRun.id, where: where(earlierRun.id), state: 'unchanged' }
    const { id, artifacts } = earlierRun ?? (await createRun(client, experiment, run, sending.settings))
    await sendNumbers(client, id, run, { step: sending.settings.step ?? 0, sent: earlierRun?.parameters })
    await sendFiles(client, artifacts, run, sending)
    const tags = [{ key: 'pipeline.digest', value: sending.digest }]
    await client.post('runs/log-batch', { run_id: id, tags }, { isRepeatable: true })
    const end = { run_id: id, status: 'FINISHED', end_time: run.finishedAt }
    await client.post('runs/update', end, { isRepeatable: true })
    return { id, where: where(id), state: earlierRun === undefined ? 'sent' : 'updated' }
  },
})

/** @throws PipelineError if no server is named */
function serverIn({ uri }: Settings, env: Environment): string {
  const address = uri ?? variable(env, 'MLFLOW_TRACKING_URI')
  const example = 'http://127.0.0.1:5000'
  if (address === undefined)
    throw new PipelineError(
      'usage',
      `${option('track', 'mlflow')}: no server is named. Start one with \`mlflow server\`, and name its address: mlflow=${example}, or MLFLOW_TRACKING_URI`,
    )
  if (!/^https?:\/\/\S+$/i.test(address) || !URL.canParse(address))
    throw new PipelineError(
      'usage',
      `${option('track', 'mlflow')}: ${String(withoutSecretValues(address))} is no address of a server. Results go to a server over HTTP: start \`mlflow server\` on that folder or database, and name its address, such as ${example}`,
    )
  return address.replace(/\/+$/, '')
}

const experimentIn = ({ experiment }: Settings, env: Environment): string =>
  experiment ?? variable(env, 'MLFLOW_EXPERIMENT_NAME') ?? 'pipeline'

async function findExperiment(client: MlflowClient, name: string): Promise<string> {
  const find = async (): Promise<string | undefined> => {
    try {
      const { experiment } = await client.get('experiments/get-by-name', { experiment_name: name })
      const { experiment_id: id, lifecycle_stage: stage } = isObject(experiment) ? experiment : {}
      if (stage === 'deleted')
        throw new PipelineError(
          'usage',
          `the experiment "${name}" is deleted there. Restore it (mlflow experiments restore), or name another: experiment=…`,
        )
      return textIn(id)
    } catch (error) {
      if (error instanceof MlflowRefusal && error.refusedFor === 'RESOURCE_DOES_NOT_EXIST') return undefined
      throw error
    }
  }
  const experimentId = await find()
  if (experimentId !== undefined) return experimentId
  try {
    const { experiment_id: id } = await client.post('experiments/create', { name })
    return textIn(id) ?? name
  } catch (error) {
    // Another process may have made it meanwhile.
    const newId = await find()
    if (newId !== undefined) return newId
    throw error
  }
}

interface MlflowRun {
  readonly id: string
  readonly artifacts: string
  readonly digest?: string | undefined
  readonly status?: string | undefined
  /** The names of the parameters that the server has. */
  readonly parameters?: ReadonlySet<string>
}

/** Finds the run of this judgement by its tags. */
async function findRun(client: MlflowClient, experiment: string, run: TrackedRun): Promise<MlflowRun | undefined> {
  const { runs } = await client.post(
    'runs/search',
    {
      experiment_ids: [experiment],
      filter: `tags.\`pipeline.run_id\` = '${run.run.id}' and tags.\`pipeline.judgement\` = '${run.judgement.number}'`,
      max_results: 1,
    },
    { isRepeatable: true },
  )
  const [first] = Array.isArray(runs) ? (runs as readonly unknown[]) : []
  if (first === undefined) return undefined
  const { info, data } = isObject(first) ? first : {}
  const listEntries = (name: string): readonly unknown[] =>
    isObject(data) && Array.isArray(data[name]) ? (data[name] as readonly unknown[]) : []
  const digest = listEntries('tags').find(tag => isObject(tag) && tag['key'] === 'pipeline.digest')
  const parameters = listEntries('params').flatMap(entry => (isObject(entry) ? (textIn(entry['key']) ?? []) : []))
  return {
    ...readRun(info),
    digest: isObject(digest) ? textIn(digest['value']) : undefined,
    parameters: new Set(parameters),
  }
}

async function createRun(
  client: MlflowClient,
  experiment: string,
  run: TrackedRun,
  { name = run.name }: Settings,
): Promise<MlflowRun> {
  const tags = {
    'mlflow.source.name': 'pipeline',
    'mlflow.source.type': 'JOB',
    ...(run.run.provenance.commit !== undefined && { 'mlflow.source.git.commit': run.run.provenance.commit }),
    'pipeline.run_id': run.run.id,
    'pipeline.run': run.run.name,
    'pipeline.judgement': String(run.judgement.number),
    'pipeline.tasks': run.run.asked.tasks.map(task => task.name).join(','),
  }
  const { run: newRun } = await client.post('runs/create', {
    experiment_id: experiment,
    run_name: cutValue(name, longestName),
    start_time: run.startedAt,
    tags: Object.entries(tags).map(([key, value]) => ({ key, value: cutValue(value, longestTag) })),
  })
  return readRun(isObject(newRun) ? newRun['info'] : undefined)
}

function readRun(info: unknown): MlflowRun {
  const { run_id: id, artifact_uri: artifacts, status } = isObject(info) ? info : {}
  const runId = textIn(id)
  if (runId === undefined) throw new PipelineError('usage', 'the server named no run. Is it an MLflow server?')
  return { id: runId, artifacts: textIn(artifacts) ?? '', status: textIn(status) }
}

const textIn = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

/** Parameters of a run never change. Those that the server has are not sent again; an earlier command may have failed before it sent all. */
async function sendNumbers(
  client: MlflowClient,
  id: string,
  run: TrackedRun,
  { step, sent = new Set() }: { readonly step: number; readonly sent?: ReadonlySet<string> | undefined },
): Promise<void> {
  const log = (body: Readonly<Record<string, unknown>>) =>
    client.post('runs/log-batch', { run_id: id, ...body }, { isRepeatable: true })
  await sendParameters(run, sent, params => log({ params }))
  const tags = [{ key: 'pipeline.complete', value: String(run.isComplete) }]
  await log({ tags })
  const names = cleanNames(run.metrics.keys())
  const metrics = [...run.metrics].map(([name, value]) => ({
    key: names.get(name) ?? name,
    value,
    timestamp: run.finishedAt,
    step,
  }))
  for (const piece of splitList(metrics, batchLimits.metrics)) await log({ metrics: piece })
}

async function sendParameters(
  { parameters }: TrackedRun,
  sent: ReadonlySet<string>,
  log: (params: readonly { readonly key: string; readonly value: string }[]) => Promise<unknown>,
): Promise<void> {
  const names = cleanNames(parameters.keys())
  const entries = [...parameters]
    .map(([name, value]) => ({ key: names.get(name) ?? name, value }))
    .filter(({ key }) => !sent.has(key))
  for (const piece of splitList(entries, batchLimits.params)) {
    const cut = (most: number) => piece.map(({ key, value }) => ({ key, value: cutValue(value, most) }))
    try {
      await log(cut(longestParameter))
    } catch (error) {
      // Older servers have a lower limit, and name it.
      const limit = /length limit of (\d+)/.exec(error instanceof MlflowRefusal ? error.message : '')?.[1]
      if (limit === undefined) throw error
      await log(cut(Number(limit)))
    }
  }
}

async function sendFiles(
  client: MlflowClient,
  artifacts: string,
  run: TrackedRun,
  { settings: { samples = true, report = true }, note }: Sending<Settings>,
): Promise<void> {
  const folder = /^mlflow-artifacts:(?:\/\/[^/]*)?\/(.*)$/.exec(artifacts)?.[1]
  if (folder === undefined) {
    note(
      `without files: the server keeps them at ${artifacts}, and does not take them itself. Start it with --serve-artifacts`,
    )
    return
  }
  for (const file of await run.files({ samples, report })) await client.upload(`${folder}/${basename(file)}`, file)
}
