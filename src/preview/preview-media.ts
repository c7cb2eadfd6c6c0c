import { messageOf } from '../../base/errors/errors.js'
import { runKey } from '../../cache/keys.js'
import type { MediaPart } from '../../cache/records.js'
import { runName } from '../../cache/run-name.js'
import type { DraftDoc, Store } from '../../cache/store.js'
import { readDrafts } from '../../stages/input/ingest.js'
import { AttemptError } from '../../stages/model/model.js'
import { hidingHooks, hidingSecrets, withHiddenErrors } from '../config/hidden-secrets.js'
import type { EvalSettings, Hooks } from '../config/settings.js'
import { readSelection } from '../config/values/selection.js'
import { awaitAll } from '../all-of.js'
import { checkDatasets } from '../evaluation/tasks/check-datasets.js'
import { planEvaluation, type Plan } from '../evaluation/plan.js'
import { waitingBy, withOpenStoreAt } from '../evaluation/with-store.js'
import type { ShowVideos } from '../model/video-frames.js'
import type { ManifestDoc, MediaManifest } from '../reading/media/manifest.js'
import { listShownMedia, makeDescriber } from '../reading/media/read-manifest.js'

/**
 * Lists the media that an evaluation would show its model, without a request and without a run. Media and frames are stored, so that the evaluation
 * does not make them again. Of conversations, it lists the first round.
 *
 * @throws PipelineError as the evaluation would before it starts
 */
export async function previewMedia(settings: EvalSettings, hooks: Hooks): Promise<MediaManifest> {
  const hide = hidingSecrets(settings)
  const safeHooks = hidingHooks(hooks, hide)
  return withHiddenErrors(hide, () =>
    withOpenStoreAt(settings.store, { waiting: waitingBy(safeHooks) }, async store => {
      const plan = await planEvaluation(settings, store, safeHooks)
      try {
        await checkDatasets(plan, settings)
        return await listMedia(plan, store, safeHooks)
      } finally {
        await plan.close()
      }
    }),
  )
}

async function listMedia(plan: Plan, store: Store, hooks: Hooks): Promise<MediaManifest> {
  const { key } = runKey(plan.asked)
  const shownDocs = new ShownDocs(plan, store, { hooks, showVideos: await plan.model.openVideoFrames() })
  const docs: ManifestDoc[] = []
  for (const task of plan.tasks) {
    const drafts = readDrafts({
      store,
      task,
      selection: readSelection(plan.asked.selection),
      prompting: { ...plan.prompting, repeats: 1 },
      generation: plan.generation,
      ...(plan.tools && { tools: plan.tools.rules }),
      drain: hooks.drain,
    })
    for await (const batch of drafts)
      for (const doc of await awaitAll(batch.map(draft => shownDocs.describe(task.name, draft))))
        if (doc.media.length > 0) docs.push(doc)
  }
  hooks.drain.throwIfAborted()
  return { format: 1, run: (await store.runs.find(key))?.name ?? runName(key), docs }
}

/** Describes the media of docs. Frames of videos are made first. */
class ShownDocs {
  readonly #describe: ReturnType<typeof makeDescriber>
  readonly #hooks: Hooks
  readonly #showVideos: ShowVideos | undefined

  constructor(
    { model }: Plan,
    store: Store,
    { hooks, showVideos }: { readonly hooks: Hooks; readonly showVideos: ShowVideos | undefined },
  ) {
    this.#describe = makeDescriber(store, model.identity)
    this.#hooks = hooks
    this.#showVideos = showVideos
  }

  async describe(task: string, { id, requests }: DraftDoc): Promise<ManifestDoc> {
    const inputs = requests.flatMap(request => ('input' in request ? [request.input] : []))
    const failed = requests.find(request => 'failure' in request)
    if (failed !== undefined) this.#tell(task, id, failed.failure.message)
    const media = []
    for (const part of listShownMedia(inputs)) {
      if (part.type === 'video') await this.#makeFrames(part, text => this.#tell(task, id, text))
      media.push(await this.#describe(part))
    }
    return { task, doc: id, media }
  }

  /** Makes the frames of a video. A video that fails here also fails its doc in the evaluation. */
  async #makeFrames(part: MediaPart, tell: (text: string) => void): Promise<void> {
    const messages = [{ role: 'user' as const, content: [part] }]
    try {
      await this.#showVideos?.({ input: { type: 'generate_until', messages }, generation: {}, sample: 0 })
    } catch (error) {
      if (!(error instanceof AttemptError)) throw error
      tell(messageOf(error))
    }
  }

  #tell(task: string, doc: string, text: string): void {
    this.#hooks.emit({ type: 'note', text: `task ${task}, doc ${doc}: ${text}` })
  }
}
