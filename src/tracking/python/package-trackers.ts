/** Trackers that are reached through their own Python packages. */
import { writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { z } from 'zod'
import { withTemporaryFolder } from '../../../base/files/temporary-folder.js'
import { sniffMediaType } from '../../../base/media/media-type.js'
import { without } from '../../../base/values/without.js'
import { hexDigits, sha256, type MediaDigest } from '../../../cache/digest.js'
import type { Store } from '../../../cache/store.js'
import type { TrackedRun } from '../tracked-run.js'
import type { TrackedSample } from '../tracked-samples.js'
import { defineTracker, textSetting, wholeSetting, yesNoSetting, type TrackerDefinition } from '../tracker.js'
import type { Environment } from '../../config/settings.js'
import { guardServer } from './guard-server.js'
import { runPackage } from './run-package.js'

/** Settings with other names are arguments of the package's `init`. */
const settings = z
  .object({
    project: textSetting.optional(),
    name: textSetting.optional(),
    step: wholeSetting.optional(),
    samples: yesNoSetting.optional(),
    max_samples: wholeSetting.optional(),
  })
  .catchall(z.json())

/** A table of more samples is slow to open in every tracker. */
const usualSamples = 1_000

const nameDestination = (
  {
    project = 'pipeline',
    name = '',
    entity,
    workspace,
    mode,
    dir,
    logdir,
    log_dir,
    space_id,
  }: z.output<typeof settings>,
  env: Environment,
): string =>
  [project, name, entity, workspace, mode, dir ?? logdir ?? log_dir ?? env['TRACKIO_DIR'], space_id]
    .map(part => JSON.stringify(part ?? ''))
    .join(' ')

/**
 * Makes the id of a run at a tracker, which is equal only for the same judgement of the same run at the same destination. A tracker
 * continues the run that has the id.
 */
const makeRunId = ({ run, judgement }: Pick<TrackedRun, 'run' | 'judgement'>, destination: string): string =>
  `pl-${hexDigits(sha256(JSON.stringify([run.id, run.createdAt, judgement.number, destination]))).slice(0, 16)}`

/** Returns the server that a package sends runs to, by the same variables; undefined if it sends them to none. */
type FindServer = (ownSettings: z.output<typeof settings>, env: Environment) => string | undefined

const definePackage = (
  id: 'wandb' | 'trackio' | 'swanlab',
  summary: string,
  { hasFiles, findServer }: { readonly hasFiles: boolean; readonly findServer?: FindServer },
): TrackerDefinition =>
  defineTracker({
    id,
    summary,
    settings,
    main: 'project',
    place: nameDestination,
    async send(run, { settings: ownSettings, digest, python, env, signal, before, again, note }) {
      if (!again && before?.digest === digest) return { id: before.id, where: before.where, state: 'unchanged' }
      const { project = 'pipeline', step, samples = true, max_samples: most = usualSamples, ...others } = ownSettings
      const runId = before?.id ?? makeRunId(run, nameDestination(ownSettings, env))
      const server = findServer?.(ownSettings, env)
      const { tables, isCut } = await collectTables(run, samples ? most : 0)
      if (isCut) note(`the table has the first ${most} samples   (max_samples=${most})`)
      const files = hasFiles ? [...(await run.files({ samples, report: false }))] : []
      const where = await withPictureFiles(run.store.media, tables, filedSamples =>
        guardServer({ tool: id, server, signal }, ownSignal =>
          runPackage(
            id,
            {
              id: runId,
              name: run.name,
              replaces: before !== undefined,
              settings: { project, ...without(others, 'samples') },
              step: step ?? null,
              parameters: Object.fromEntries(run.parameters),
              metrics: Object.fromEntries(run.metrics),
              samples: filedSamples,
              files,
            },
            { python, env, signal: ownSignal },
          ),
        ),
      )
      return { id: runId, where: where ?? resolve('.'), state: before === undefined ? 'sent' : 'updated' }
    },
  })

async function collectTables(
  run: TrackedRun,
  most: number,
): Promise<{ readonly tables: Readonly<Record<string, TableSample[]>>; readonly isCut: boolean }> {
  const tables: Record<string, TableSample[]> = {}
  let count = 0
  for await (const { task, ...sample } of run.samples(most)) {
    count += 1
    ;(tables[task] ??= []).push(sample)
  }
  const docs = run.metrics.get('run/docs') ?? 0
  return { tables, isCut: most > 0 && count === most && docs > most }
}

/** Writes pictures to files for the time of `work`. Packages know the kind of a picture by the end of its name. */
const withPictureFiles = <Result>(
  media: Store['media'],
  tables: Readonly<Record<string, readonly TableSample[]>>,
  work: (filedSamples: Readonly<Record<string, FiledSample[]>>) => Promise<Result>,
): Promise<Result> =>
  withTemporaryFolder('pipeline-pictures', async folder => {
    const names = new Map<MediaDigest, string>()
    const filedSamples: Record<string, FiledSample[]> = {}
    for (const [task, samples] of Object.entries(tables)) {
      const own: FiledSample[] = (filedSamples[task] = [])
      for (const sample of samples) {
        for (const path of sample.pictures)
          if (!names.has(path)) names.set(path, await writePicture(media, path, folder))
        own.push({ ...sample, pictures: sample.pictures.map(path => names.get(path) ?? path) })
      }
    }
    return work(filedSamples)
  })

async function writePicture(media: Store['media'], digest: MediaDigest, folder: string): Promise<string> {
  const bytes = await media.read(digest)
  const name = join(folder, `${hexDigits(digest)}.${sniffMediaType(bytes)?.format ?? 'bin'}`)
  await writeFile(name, bytes)
  return name
}

type TableSample = Omit<TrackedSample, 'task'>
type FiledSample = Omit<TableSample, 'pictures'> & { readonly pictures: string[] }

/** Weights & Biases. */
export const wandb = definePackage('wandb', 'a project of Weights & Biases (Python package wandb)', {
  hasFiles: true,
  findServer: ({ mode }, env) => {
    const own = typeof mode === 'string' ? mode : env['WANDB_MODE']
    return own !== undefined && own !== 'online' && own !== 'run'
      ? undefined
      : (env['WANDB_BASE_URL'] ?? 'https://api.wandb.ai')
  },
})
/** Trackio, which keeps its runs in a local database or a Space. */
export const trackio = definePackage('trackio', 'a project of Trackio (Python package trackio)', { hasFiles: true })
/** SwanLab. */
export const swanlab = definePackage('swanlab', 'a project of SwanLab (Python package swanlab)', {
  hasFiles: false,
  findServer: ({ mode }, env) => {
    const own = typeof mode === 'string' ? mode : env['SWANLAB_MODE']
    return own === undefined || own === 'cloud' || own === 'online'
      ? (env['SWANLAB_API_HOST'] ?? 'https://api.swanlab.cn')
      : undefined
  },
})
