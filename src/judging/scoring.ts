import { limitedFunction } from '../../base/time/time-limit.js'
import { canonicalJson, type Json } from '../../base/values/canonical-json.js'
import { codeManifest } from '../../cache/code/code-manifest.js'
import type { CodeRuntime } from '../../cache/code/code-runtime.js'
import { findPythonFunction } from '../../cache/code/python/python-function.js'
import { loadStoredFunctions } from '../../cache/code/stored-code.js'
import { sha256 } from '../../cache/digest.js'
import { attemptsKey } from '../../cache/facts/attempt-facts.js'
import type { Price } from '../../cache/facts/compute-cost.js'
import type { CodeManifest, DatasetIdentity, JsonObject, StoredScoring } from '../../cache/records.js'
import type { Store } from '../../cache/store.js'
import { isFunctionRef } from '../../stages/input/tasks/function-ref.js'
import { keepsMedia } from '../../stages/input/python/record-media.js'
import type { Task } from '../../stages/input/tasks/task.js'
import { loadTaskJudges, withoutEntryJudges } from '../../stages/judge/compile/judges-of.js'
import type { Parity } from '../../stages/judge/define/parity.js'
import { findAttemptFacts } from '../../stages/judge/compile/attempt-rules.js'
import { withResources } from '../../stages/judge/compile/resources.js'
import { pythonProcessResults } from '../../stages/judge/python/python-scoring.js'
import { type MediaOfStore, scoringMedia } from '../../stages/judge/python/wire-record.js'
import { makeScorer, type Scorer } from '../../stages/judge/scorer.js'
import { type ConfigPath, type ProcessResults, type TaskFunction } from '../../stages/judge/compile/scoring-spec.js'
import type { Hooks, JudgeSettings } from '../config/settings.js'
import { chooseJudges } from './choose-judges.js'
import type { Judges } from './judges.js'

/** The current scoring rules of a task's YAML. */
export const makeStoredScoring = (task: Task, dataset: DatasetIdentity): StoredScoring => ({
  ...task.scoring,
  records: recordSource(task, dataset),
})

/** A digest that changes whenever a doc's target, choices or other fields may have changed. */
function recordSource(task: Task, dataset: DatasetIdentity): string {
  const { doc_to_target, doc_to_choice, process_docs } = task.config
  const sources = [doc_to_target, doc_to_choice, process_docs]
  const code = sources.some(isFunctionRef) ? task.closure : {}
  return sha256(
    canonicalJson({
      sources: sources.map(source => canonicalJson((source ?? null) as Json)),
      code,
      files: dataset.files,
      ...(keepsMedia(task) ? { media: true } : {}),
      // Raise this number when targets or labels are read or printed in another way.
      reading: 3,
    }),
  )
}

/** The files of the judge's code. Any change recomputes all scores, which is cheap. */
const judgeCode = ['stages/judge/', 'base/']

export async function makeTaskScorer(
  task: string,
  scoring: StoredScoring,
  options: {
    readonly cacheDir: string
    readonly runtime?: CodeRuntime | undefined
    /** The plugins' exports. */
    readonly exported: readonly unknown[]
    readonly locate?: (path: ConfigPath) => string
    /** The functions by name, if the task was defined in code. */
    readonly functions?: Task['functions']
    /** The digest of the judge records, if they differ from the run's own. */
    readonly revised?: string
    /** The judge models, if the settings name any. */
    readonly judges?: Pick<Judges, 'select'>
    readonly parity?: Parity
    /** The number of samples of a doc that will be requested. @default unknown, as for stored answers */
    readonly repeats?: number
    /**
     * Reads the price of the model, if scores depend on the cost of answers. @default no price is known
     *
     * @throws PipelineError if it is unknown
     */
    readonly price?: () => Promise<Price>
    /** The store's media, for functions in Python. */
    readonly media?: MediaOfStore
    /** Receives notes about docs and values that are left out. */
    readonly emit?: Hooks['emit']
  },
): Promise<Scorer> {
  const functions =
    options.functions === undefined
      ? await loadStoredFunctions(scoring, options)
      : heldFunctions(scoring, options.functions, options.runtime?.timeLimit)
  const { process_results: processing } = scoring
  const { emit } = options
  const registry = await loadTaskJudges({ config: scoring.config, outputType: scoring.output_type }, options.exported)
  const resources = withResources(scoring.config, registry.metrics, options.runtime?.env ?? {})
  const facts = findAttemptFacts(resources, registry.metrics)
  const price = facts.includes('cost') ? await options.price?.() : undefined
  const rules = {
    ...withoutEntryJudges(resources, registry),
    ...(facts.length > 0 && { [attemptsKey]: facts }),
    ...(price && { price: price as unknown as JsonObject }),
  }
  const processFunction = processing === undefined ? undefined : functions[processing]
  const python = findPythonFunction(processFunction)
  const media = options.media && scoringMedia(options.media)
  const asking =
    options.judges &&
    chooseJudges(task, scoring, { judges: options.judges, registry, functions, parity: options.parity })
  const processResults = python === undefined ? processFunction : pythonProcessResults(python, media)
  return makeScorer(
    {
      task,
      outputType: scoring.output_type,
      config: {
        ...rules,
        ...(processing === undefined ? {} : { process_results: processing }),
        ...asking?.identities,
        ...(options.revised === undefined ? {} : { records: options.revised }),
      },
      scorerCode: await scorerCode(scoring),
      functions: functions as Readonly<Record<string, TaskFunction>>,
      ...(processResults === undefined ? {} : { processResults: processResults as ProcessResults }),
      ...(python === undefined ? {} : { refusesMisspelt: false }),
      ...(options.locate === undefined ? {} : { locate: options.locate }),
      ...(media && { media }),
      ...asking?.askers,
      ...(options.parity === undefined ? {} : { parity: options.parity }),
      timeLimit: options.runtime?.timeLimit,
      programs: options.runtime?.programs,
      hide: options.runtime?.hide,
      ...(options.repeats === undefined ? {} : { repeats: options.repeats }),
      ...(emit && { note: (text: string) => emit({ type: 'note', text: `${task}: ${text}` }) }),
    },
    registry,
  )
}

/** Maps the texts that replace functions in the configuration of a task defined in code to those functions. */
const heldFunctions = (
  { functions = {} }: StoredScoring,
  functionsByName: NonNullable<Task['functions']>,
  timeLimit: number | undefined,
) =>
  Object.fromEntries(
    Object.entries(functions).map(([text, { function: reference }]) => {
      const callee = functionsByName[reference.slice(reference.lastIndexOf('.') + 1)]
      if (callee === undefined) throw new Error(`internal error: no function ${reference}`)
      return [text, findPythonFunction(callee) === undefined ? limitedFunction(reference, callee, timeLimit) : callee]
    }),
  )

/** The options of {@link makeTaskScorer} that the scorers of a run share. */
export const scoringOptions = (
  settings: JudgeSettings,
  {
    store,
    judges,
    ...surroundings
  }: {
    readonly store: Store
    readonly cacheDir: string
    readonly runtime: CodeRuntime
    readonly exported: readonly unknown[]
    readonly emit: Hooks['emit']
    readonly judges: Judges | undefined
  },
) => ({ ...surroundings, media: store.media, ...(judges && { judges }), ...readParity(settings, surroundings) })

/** Reads the parity setting. Notes that parity scores are knowingly wrong. */
function readParity({ parity }: JudgeSettings, { emit }: Pick<Hooks, 'emit'>): { readonly parity?: Parity } {
  if (parity === undefined) return {}
  emit({ type: 'note', text: `scored as ${parity} scores, also where that is known to be wrong (docs/parity.md)` })
  return { parity }
}

/** The manifest of the judge's code. All tasks of a process share it. */
let judgeManifest: Promise<CodeManifest> | undefined

/** Returns the manifest of a scorer's code. Tasks without code share one manifest, so that ten thousand tasks do not serialize it again. */
async function scorerCode({ closure = {} }: StoredScoring): Promise<CodeManifest> {
  judgeManifest ??= codeManifest({ files: judgeCode })
  const taskFiles = Object.entries(closure).map(([path, id]) => [`task/${path}`, id] as const)
  const { files } = await judgeManifest
  return taskFiles.length === 0 ? judgeManifest : { files: { ...files, ...Object.fromEntries(taskFiles) } }
}
