import { mkdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { PipelineError } from '../../base/errors/errors.js'
import { shownPath } from '../../base/files/shown-path.js'
import { canonicalJson, type Json } from '../../base/values/canonical-json.js'
import type {
  FailureRow,
  ItemRow,
  PortableRun,
  PreimageRow,
  ResponseRow,
  Table,
  VerdictRow,
} from '../../cache/bundle/portable.js'
import { sha256, type RunKey } from '../../cache/digest.js'
import { codeKey, configKey, judgeConfigKey, runKey } from '../../cache/keys.js'
import { runName } from '../../cache/run-name.js'
import type {
  Aggregate,
  CodeManifest,
  GenerationKwargs,
  JsonObject,
  ModelIdentity,
  RunTask,
  StoredConfig,
  StoredScoring,
  TaskJudging,
} from '../../cache/records.js'
import type { ForeignSample, ForeignTask, RunGroups } from './foreign-log.js'
import { docRows, type ImportedTask } from './imported-doc.js'
import type { MessageIntake } from './imported-media.js'
import { ImportedScores, type ScoreDifference } from './imported-scores.js'
import { LoggedContents } from './logged-contents.js'
import { plainObject } from './plain-json.js'
import { RowSpool } from './row-spool.js'
import { storedRules } from './stored-rules.js'

/** The facts that all runs of a log share. */
export interface LogFacts {
  readonly tool: string
  readonly toolVersion?: string
  /** The digest of the log's files. */
  readonly digest: string
  readonly files: readonly string[]
  /** The time when the log's files were changed last. Milliseconds since 1970. */
  readonly modified: number
  readonly intake: MessageIntake
  /** Settings that are stored with each run. */
  readonly config?: StoredConfig
  readonly groups?: RunGroups
}

interface AddedTask {
  readonly task: RunTask
  readonly judging: TaskJudging
  readonly scoring: StoredScoring | undefined
  /** False if its answers are still to be scored. */
  readonly isScored: boolean
  /** One more than the index of the last doc. */
  readonly docs: number
}

/** Collects one run from the tasks of a log. */
export class RunDraft {
  readonly #log: LogFacts
  readonly #model: ModelIdentity
  readonly #code: CodeManifest
  readonly #startedAt: number | undefined
  readonly #items: RowSpool<ItemRow>
  readonly #responses: RowSpool<ResponseRow>
  readonly #failures: RowSpool<FailureRow>
  readonly #verdicts: RowSpool<VerdictRow>
  readonly #preimages = new Map<string, PreimageRow>()
  readonly #tasks: AddedTask[] = []
  readonly #aggregates: Aggregate[] = []
  readonly #differences: ScoreDifference[] = []
  readonly #notes: string[] = []
  #docs = 0

  constructor(log: LogFacts, { model, modelArgs = {}, startedAt }: ForeignTask, folder: string) {
    mkdirSync(folder)
    this.#log = log
    this.#model = { backend: model ?? 'unknown', args: plainObject(modelArgs) }
    // This field gives the key a value that no code of this program can have, not even with --code-version.
    this.#code = { files: {}, version: toolName(log), imported: log.digest } as CodeManifest
    const time = startedAt === undefined ? Number.NaN : Date.parse(startedAt)
    this.#startedAt = Number.isNaN(time) ? undefined : time
    this.#items = new RowSpool(join(folder, 'items'))
    this.#responses = new RowSpool(join(folder, 'responses'))
    this.#failures = new RowSpool(join(folder, 'failures'))
    this.#verdicts = new RowSpool(join(folder, 'verdicts'))
  }

  async addTask(task: ForeignTask): Promise<void> {
    const { task: name, source } = task
    if (this.#tasks.some(added => added.task.name === name))
      throw new PipelineError('bundle', `${shownPath(source)}: the log holds task "${name}" twice for one model`)
    const facts = this.#factsOf(task)
    const scores = new ImportedScores()
    const contents = new LoggedContents()
    const indexes = new DocIndexes(source)
    let group: ForeignSample[] = []
    const flush = async (): Promise<void> => {
      const [first] = group
      if (first === undefined) return
      const index = indexes.next(first)
      const messages = first.rendered?.messages ?? (await this.#log.intake.messages(first.messages ?? []))
      const rows = docRows(facts.imported, { index, samples: group, messages })
      for (const item of rows.items) await this.#items.add(item)
      for (const response of rows.responses) await this.#responses.add(response)
      for (const failure of rows.failures) await this.#failures.add(failure)
      if (rows.verdict !== undefined) await this.#verdicts.add(rows.verdict)
      scores.add(rows.values, rows.unparsed)
      contents.add(messages, group)
      group = []
    }
    for await (const sample of task.samples()) {
      // The epochs of one doc follow each other with different numbers.
      if (sample.id !== group[0]?.id || sample.epoch === undefined || group.some(other => other.epoch === sample.epoch))
        await flush()
      group.push(sample)
    }
    await flush()
    const { aggregates, differences } = scores.finish(task, this.#log.tool)
    this.#aggregates.push(...aggregates)
    this.#differences.push(...differences)
    const empty = task.rules === undefined ? contents.describeEmpty() : undefined
    for (const note of [task.note, empty]) if (note !== undefined) this.#notes.push(`${name}: ${note}`)
    this.#docs += indexes.count
    const { judging, runTask } = facts
    this.#tasks.push({
      task: runTask,
      judging,
      scoring: task.rules?.scoring ?? storedRules(task),
      isScored: task.rules === undefined,
      docs: indexes.end,
    })
  }

  async finish(createdAtOf: (id: RunKey) => Promise<number | undefined>): Promise<{
    readonly run: PortableRun
    readonly docs: number
    readonly differences: readonly ScoreDifference[]
    readonly notes: readonly string[]
  }> {
    const spools = [this.#items, this.#responses, this.#failures, this.#verdicts]
    for (const spool of spools) await spool.finish()
    const names = this.#tasks.map(({ task }) => task.name)
    const { groups } = this.#log
    const spec = {
      tasks: this.#tasks.map(({ task }) => task),
      model: this.#model,
      code: codeKey(this.#code).key,
      selection: {},
      ...(groups !== undefined && { groups: groups.asked }),
    }
    const id = runKey(spec).key
    const createdAt = this.#startedAt ?? (await createdAtOf(id)) ?? this.#log.modified
    const { tool, files } = this.#log
    const run: PortableRun = {
      id,
      name: runName(id),
      asked: spec,
      provenance: {
        version: toolName(this.#log),
        node: 'unknown',
        config: { tasks: names, ...this.#log.config, imported: { tool, files: files.map(file => basename(file)) } },
        ...(groups !== undefined && Object.keys(groups.code).length > 0 && { groups: groups.code }),
        scoring: Object.fromEntries(
          this.#tasks.flatMap(({ task, scoring }) => (scoring === undefined ? [] : [[task.name, scoring]])),
        ),
      },
      createdAt,
      progress: this.#tasks.map(({ docs }) => ({ docs, finished: true })),
      pending: 0,
      preimages: makeTable([...this.#preimages.values()]),
      items: this.#items.table,
      responses: this.#responses.table,
      failures: this.#failures.table,
      judgements: this.#tasks.some(({ isScored }) => isScored)
        ? [
            {
              number: 1,
              tasks: this.#tasks.map(({ judging }) => judging),
              createdAt,
              finishedAt: createdAt,
              aggregates: this.#aggregates,
              verdicts: this.#verdicts.table,
            },
          ]
        : [],
    }
    return { run, docs: this.#docs, differences: this.#differences, notes: this.#notes }
  }

  /** Computes the keys of a task, and stores their preimages. */
  #factsOf(task: ForeignTask): {
    readonly imported: ImportedTask
    readonly judging: TaskJudging
    readonly runTask: RunTask
  } {
    const { tool, digest } = this.#log
    const generation = plainObject(task.generation ?? {}) as GenerationKwargs
    const { task: logged, metrics = {} } = task.origin ?? { task: task.task }
    const renamed = Object.keys(metrics).length === 0 ? {} : { metrics }
    const settings = plainObject(task.config ?? {})
    const identity = canonicalJson({ imported: digest, tool, task: logged, config: settings, ...renamed })
    const judging: TaskJudging = {
      // A later judgement without the task's files takes its rules from here.
      config: { ...storedRules(task)?.config, imported: { tool, log: digest, task: logged, ...renamed } },
      // Marks are facts about a score's answers, such as that they are empty.
      scorer: { ...this.#code, marks: true } as CodeManifest,
    }
    const config = this.#keep('config', configKey(this.#model, generation))
    const code = this.#keep('code', codeKey(this.#code))
    const taskKey = this.#keep('task', { key: sha256<'task'>(identity), preimage: identity })
    return {
      imported: {
        tool,
        log: digest,
        task: task.task,
        loggedTask: logged,
        config,
        code,
        judging: {
          config: this.#keep('judge-config', judgeConfigKey(judging.config)),
          scorer: this.#keep('code', codeKey(judging.scorer)),
        },
        at: this.#startedAt ?? this.#log.modified,
        failedAt: this.#startedAt ?? 0,
      },
      judging,
      runTask: {
        name: task.task,
        identity: taskKey,
        dataset: task.rules?.dataset ?? { path: readDatasetPath(task.config), files: {} },
      },
    }
  }

  #keep<Key extends string>(kind: string, { key, preimage }: { readonly key: Key; readonly preimage: string }): Key {
    this.#preimages.set(key, { kind, key, preimage })
    return key
  }
}

/** Formats the tool as `lmms-eval 0.7.2`, without a number if the log does not state the version. */
const toolName = ({ tool, toolVersion }: LogFacts): string => [tool, toolVersion].filter(Boolean).join(' ')

const readDatasetPath = (config: JsonObject | undefined): string => {
  const path: Json | undefined = config?.['dataset_path']
  return typeof path === 'string' ? path : ''
}

const makeTable = <Row>(rows: readonly Row[]): Table<Row> =>
  // eslint-disable-next-line @typescript-eslint/require-await -- a table is read asynchronously
  async function* () {
    yield rows
  }

/**
 * Gives each doc its index. Ids that are numbers are indexes into the dataset, so that the task's files find their docs
 * again; other docs are counted.
 */
class DocIndexes {
  readonly #source: string
  readonly #seen = new Set<string | number>()
  #areNumbers: boolean | undefined
  end = 0

  constructor(source: string) {
    this.#source = source
  }

  get count(): number {
    return this.#seen.size
  }

  next({ id, index: loggedIndex }: ForeignSample): number {
    if (this.#seen.has(id)) throw new PipelineError('bundle', `${shownPath(this.#source)}: two docs have the id ${id}`)
    this.#areNumbers ??= loggedIndex === undefined && isIndex(id)
    if (this.#areNumbers && !isIndex(id))
      throw new PipelineError('bundle', `${shownPath(this.#source)}: some ids are numbers, and ${id} is none`)
    const index = loggedIndex ?? (this.#areNumbers ? Number(id) : this.#seen.size)
    this.#seen.add(id)
    this.end = Math.max(this.end, index + 1)
    return index
  }
}

const isIndex = (id: string | number): boolean => typeof id === 'number' && Number.isSafeInteger(id) && id >= 0
