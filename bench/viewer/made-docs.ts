/** Docs of an invented run, with answers and scores, made from a number: the same number always gives the same doc. */
import { canonicalJson } from '../../base/values/canonical-json.js'
import type { FailureRow, ItemRow, PreimageRow, ResponseRow, VerdictRow } from '../../cache/bundle/portable.js'
import { sha256, type MediaDigest, type TaskKey } from '../../cache/digest.js'
import {
  answerDigest,
  codeKey,
  configKey,
  inputKey,
  judgeConfigKey,
  judgeRecordKey,
  responseKey,
  scoreKey,
} from '../../cache/keys.js'
import type { CodeManifest, ModelIdentity, ScoreBody, ScoringRules, TaskJudging } from '../../cache/records.js'
import { seededRandom } from '../seeded-random.js'

/** The tasks of the made run. */
export const madeTasks = ['scene_vqa', 'chart_reading', 'text_in_pictures', 'counting'] as const

/** The labels of the breakdown, by field. */
export const breakdown = {
  type: ['colour', 'shape', 'number', 'position', 'action', 'text', 'relation', 'material'],
  difficulty: ['easy', 'medium', 'hard'],
  language: ['en', 'de', 'fr', 'es', 'zh', 'ja', 'ko', 'pt', 'it', 'pl', 'tr', 'ar'],
} as const

const code: CodeManifest = { files: { 'stages/model/backends/openai.ts': 'a'.repeat(40) } }
const rules: ScoringRules = {
  output_type: 'generate_until',
  metric_list: [{ metric: 'exact_match', ignore_case: true }],
  breakdown: Object.keys(breakdown),
}
export const madeRules: TaskJudging = { config: rules, scorer: { files: { 'stages/judge/judge.ts': 'b'.repeat(40) } } }
export const madeModel = (model: string): ModelIdentity => ({ backend: 'openai', args: { model } })
export const madeCode = codeKey(code)
export const taskIdentity = (name: string): TaskKey => sha256<'task'>(name)

const generation = { max_new_tokens: 64 }
const scorer = codeKey(madeRules.scorer)
const judgeConfig = judgeConfigKey(rules)

export const madePreimages = (model: string): readonly PreimageRow[] => [
  { kind: 'code', ...madeCode },
  { kind: 'code', ...scorer },
  { kind: 'config', ...configKey(madeModel(model), generation) },
  { kind: 'judge-config', ...judgeConfig },
]

export interface MadeDoc {
  readonly item: ItemRow
  readonly response?: ResponseRow
  readonly failure?: FailureRow
  readonly verdict?: VerdictRow
  readonly groups: Readonly<Record<string, string>>
  readonly value: number | undefined
}

interface Asked {
  readonly model: string
  /** Distinguishes the answers of models. */
  readonly seed: number
  readonly task: number
  readonly index: number
  readonly media: readonly MediaDigest[]
}

const failures = [
  ['timeout', 'no answer in 60 s'],
  ['server', 'HTTP 500: internal error'],
  ['refused', 'the content policy refuses this picture'],
] as const

/** About 30 % of the docs are wrong, 1 % cannot be read, 0.5 % failed. Two models agree on most docs. */
export function madeDoc({ model, seed, task, index, media }: Asked): MadeDoc {
  const random = seededRandom(task * 1_000_003 + index)
  const own = seededRandom((seed + 1) * 7_919 + task * 1_000_003 + index)
  const pick = <T>(all: readonly T[], by = random): T => all[Math.floor(by() * all.length)] as T
  const name = madeTasks[task % madeTasks.length] as string
  const groups = Object.fromEntries(Object.entries(breakdown).map(([field, labels]) => [field, pick<string>(labels)]))
  const target = word(random)
  const text = `${words(random, 26)}? Answer with one word.`
  const picture = pick(media)
  const record = judgeRecordKey({ target, doc: { question: text, ...groups } })
  const input = inputKey({
    type: 'generate_until',
    messages: [
      {
        role: 'user',
        content: [
          { type: 'image', media: picture },
          { type: 'text', text },
        ],
      },
    ],
  })
  const config = configKey(madeModel(model), generation)
  const key = responseKey({ input: input.key, config: config.key, code: madeCode.key, sample: 0 })
  const place = { task: name, doc_index: index, choice: 0, sample: 0 }
  const item: ItemRow = {
    ...place,
    draw: null,
    doc_id: `${name}-${index}`,
    response_key: key,
    input_key: input.key,
    input: input.preimage,
    config_key: config.key,
    code_key: madeCode.key,
    record_key: record.key,
    record: record.preimage,
  }
  const luck = random() < 0.85 ? random() : own()
  const shared = { item, groups }
  if (own() < 0.005) {
    const [failureClass, message] = pick(failures, own)
    return {
      ...shared,
      failure: { ...place, class: failureClass, message, attempts: 3, at: 1e12 + index },
      value: undefined,
    }
  }
  const isUnparsed = luck < 0.01
  const isRight = luck >= 0.31
  const isEmpty = isUnparsed && own() < 0.3
  const said = isRight ? target : word(own)
  const answer = isEmpty ? '' : isUnparsed ? words(own, 9) : `${words(own, 7)}: ${said}`
  const isCut = isUnparsed && own() < 0.3
  const body = answerDigest({ text: answer, finishReason: isCut ? 'length' : 'stop' })
  const tokens = 8 + Math.floor(own() * 40)
  const meta = canonicalJson({
    usage: { inputTokens: 300 + Math.floor(own() * 900), outputTokens: tokens },
    timing: { queueMs: Math.floor(own() * 30), firstTokenMs: 120 + Math.floor(own() * 200) },
    durationMs: 200 + Math.floor(own() ** 4 * 20_000),
    attempts: own() < 0.02 ? 2 : 1,
    answeredAt: 1_760_000_000_000 + index * 3,
  })
  const score: ScoreBody = {
    outcome: isUnparsed ? 'unparsed' : 'scored',
    values: { exact_match: isRight ? 1 : 0 },
    extracted: { none: isUnparsed ? null : said },
    ...(isEmpty ? { empty: true } : {}),
    ...(isCut ? { cut: true } : {}),
    groups,
  }
  const verdict: VerdictRow = {
    task: name,
    doc_index: index,
    doc_id: item.doc_id,
    score_key: scoreKey({ answers: [body.key], record: record.key, config: judgeConfig.key, scorer: scorer.key }),
    answers: JSON.stringify([body.key]),
    body: canonicalJson(JSON.parse(JSON.stringify(score)) as Record<string, string>),
    record_key: record.key,
    revision: null,
  }
  return {
    ...shared,
    response: { response_key: key, answer: body.key, body: body.preimage, meta },
    verdict,
    value: isRight ? 1 : 0,
  }
}

const syllables = ['ba', 'ro', 'ti', 'mel', 'ka', 'su', 'ner', 'lo', 'pi', 'dan', 'vo', 'shi', 'gra', 'tem', 'ul', 'or']
const common = [
  'the',
  'of',
  'is',
  'what',
  'in',
  'which',
  'a',
  'to',
  'how',
  'many',
  'on',
  'left',
  'right',
  'red',
  'blue',
]

const word = (random: () => number): string => {
  const length = 2 + Math.floor(random() * 2)
  return Array.from({ length }, () => syllables[Math.floor(random() ** 1.5 * syllables.length)]).join('')
}

/** Half of the words are common ones, as in a language. */
const words = (random: () => number, count: number): string =>
  Array.from({ length: count }, () =>
    random() < 0.5 ? (common[Math.floor(random() * common.length)] as string) : word(random),
  ).join(' ')
