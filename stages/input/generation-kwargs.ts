import { distance } from 'fastest-levenshtein'
import { z } from 'zod'
import { issueText, ownMessage } from '../../base/errors/issue-text.js'
import { secretPaths } from '../../base/text/secrets.js'
import { didYouMean } from '../../base/text/suggest.js'
import type { Json } from '../../base/values/canonical-json.js'
import type { GenerationKwargs, JsonObject, RequestType } from '../../cache/records.js'

export interface KwargProblem {
  readonly name: string
  readonly text: string
}

const wholeNumber = z.int('a whole number, 1 or more').min(1, 'a whole number, 1 or more')

const kwargs = {
  // Task files also write numbers as texts.
  max_new_tokens: z.preprocess(
    value => (typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value),
    wholeNumber,
  ),
  temperature: z.preprocess(
    value => (typeof value === 'string' && /^\s*\d*\.?\d+([eE][-+]?\d+)?\s*$/.test(value) ? Number(value) : value),
    z.number('a number, 0 or more').min(0, 'a number, 0 or more'),
  ),
  top_p: z.number('a number from 0 to 1').min(0, 'a number from 0 to 1').max(1, 'a number from 0 to 1'),
  top_k: z.int('a whole number'),
  do_sample: z.boolean('true or false'),
  num_beams: wholeNumber,
  repetition_penalty: z.number('a number above 0').positive('a number above 0'),
  seed: z.int('a whole number'),
  max_agentic_steps: wholeNumber,
  until: z.union([z.string().transform(text => [text]), z.array(z.string())], 'a text or a list of texts'),
}

type KwargName = keyof typeof kwargs

/** Names of other programs. */
const aliases: Readonly<Record<string, KwargName>> = {
  max_gen_toks: 'max_new_tokens',
  max_tokens: 'max_new_tokens',
  max_completion_tokens: 'max_new_tokens',
  max_output_tokens: 'max_new_tokens',
  stop: 'until',
  stop_sequences: 'until',
}

/** Generation kwargs that request several answers at once. */
const severalAnswers: ReadonlySet<string> = new Set(['n', 'num_return_sequences', 'candidate_count', 'candidateCount'])

/** Returns the canonical name of a kwarg: `max_new_tokens` for `max_gen_toks`. */
export const kwargName = (name: string): string => (Object.hasOwn(aliases, name) ? (aliases[name] ?? name) : name)

/**
 * Parses generation kwargs to their types and canonical names. A single text for `until` becomes a list, and `null`
 * counts as absent. Unknown names are passed to the backend, unless they look like a misspelt known one.
 */
export function readGeneration(raw: JsonObject): {
  readonly generation: GenerationKwargs
  readonly problems: readonly KwargProblem[]
} {
  const problems: KwargProblem[] = []
  const read = new Map<string, { readonly value: Json; readonly from: string }>()
  for (const [from, value] of Object.entries(raw)) {
    if (value === undefined || value === null) continue
    const name = kwargName(from)
    const secrets = secretPaths({ [from]: value }, '').map(path => path.slice(1))
    problems.push(...secrets.map(path => ({ name: path, text: secretText })))
    if (secrets.length > 0) continue
    if (severalAnswers.has(name) && value !== 1) {
      problems.push({
        name: from,
        text: 'one answer is read of each request, and all would be paid for. Ask for several answers with repeats',
      })
      continue
    }
    if (!isKnown(name)) {
      const meant = misspelt(name)
      if (meant === undefined) read.set(name, { value, from })
      else problems.push({ name: from, text: `no such argument. Did you mean "${meant}"?` })
      continue
    }
    const parsed = kwargs[name].safeParse(value)
    if (!parsed.success) {
      problems.push({ name: from, text: kwargText(parsed.error.issues, value) })
      continue
    }
    const before = read.get(name)
    if (before !== undefined && JSON.stringify(before.value) !== JSON.stringify(parsed.data))
      problems.push({ name: from, text: `${before.from} says the same with another value; give one of them` })
    read.set(name, { value: parsed.data, from })
  }
  const generation = Object.fromEntries([...read].map(([name, { value }]) => [name, value]))
  return { generation, problems }
}

const kwargText = ([issue]: readonly z.core.$ZodIssue[], value: Json): string =>
  issue === undefined ? 'expected another value' : issueText(issue, value, { expected: ownMessage(issue) })

const secretText =
  'its name is that of a secret, and generation kwargs are stored with each request. Give a key as an argument of the model (api_key=…), or in the environment (docs/models/)'

/** Finds kwargs of a task file that are unknown. They are sent unchanged, with a note, since most are mistakes. */
export function unknownKwargs(raw: JsonObject): readonly KwargProblem[] {
  const unknown = Object.keys(readGeneration(raw).generation).filter(
    name => !isKnown(name) && !ofServers.has(name) && !localOnly.has(name),
  )
  return unknown.map(name => {
    const meant = didYouMean(name, [...Object.keys(kwargs), ...ofServers])
    return { name, text: `this argument is not known here, and is sent to the model as it is.${meant}` }
  })
}

/** Kwargs that some servers or local models accept beside {@link kwargs}. They are sent unchanged. */
const ofServers: ReadonlySet<string> = new Set([
  ...['min_p', 'top_a', 'typical_p', 'tfs_z', 'epsilon_cutoff', 'eta_cutoff', 'penalty_alpha', 'best_of'],
  ...[
    'presence_penalty',
    'frequency_penalty',
    'length_penalty',
    'repeat_penalty',
    'no_repeat_ngram_size',
    'early_stopping',
  ],
  ...[
    'min_tokens',
    'min_new_tokens',
    'ignore_eos',
    'stop_token_ids',
    'include_stop_str_in_output',
    'bad_words',
    'logit_bias',
  ],
  ...['skip_special_tokens', 'spaces_between_special_tokens', 'truncate_prompt_tokens', 'allowed_token_ids'],
  ...[
    'guided_json',
    'guided_regex',
    'guided_choice',
    'guided_grammar',
    'structured_outputs',
    'response_format',
    'json_schema',
  ],
  ...['regex', 'ebnf', 'grammar', 'chat_template_kwargs', 'mm_processor_kwargs', 'add_generation_prompt', 'extra_body'],
  ...[
    'reasoning_effort',
    'reasoning',
    'thinking',
    'thinking_budget',
    'enable_thinking',
    'verbosity',
    'modalities',
    'user',
  ],
  ...['mirostat', 'mirostat_tau', 'mirostat_eta', 'num_ctx', 'use_cache', 'image_aspect_ratio'],
])

/** Kwargs for models that lmms-eval runs in its own process. They are not part of a request, see {@link isLeftOut}. */
const localOnly: ReadonlySet<string> = new Set([
  'patch_size',
  'min_pixels',
  'max_pixels',
  'downsample_ratio',
  'visual_cot',
])

/** Returns whether a kwarg is no part of the requests of an output type. Models that make pictures look for `visual_cot`. */
export const isLeftOut = (name: string, type: RequestType | 'multiple_choice'): boolean =>
  localOnly.has(name) && !(name === 'visual_cot' && type === 'generate_visual_cot')

/**
 * Adds lmms-eval's defaults (`TaskConfig`) to a task's own kwargs: answers end at the delimiter of examples, and
 * without any kwargs nothing is sampled.
 */
export function withDefaults(
  kwargs: Readonly<Record<string, Json>> | undefined,
  delimiter: string | null,
): Record<string, Json> {
  const until = delimiter === null ? null : [delimiter]
  if (kwargs === undefined) return { until, do_sample: false }
  const { generation } = readGeneration(kwargs)
  const typed = Object.entries(generation).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))
  const kwargsByName = Object.fromEntries(Object.entries(kwargs).map(([name, value]) => [kwargName(name), value]))
  return {
    ...kwargsByName,
    ...(Object.fromEntries(typed) as Record<string, Json>),
    ...('until' in kwargsByName ? {} : { until }),
  }
}

/** Returns whether an output type writes answers, so that generation kwargs apply. */
export const isGenerated = (type: RequestType | 'multiple_choice'): boolean => type.startsWith('generate_')

const isKnown = (name: string): name is KwargName => Object.hasOwn(kwargs, name)

/** Short names are not corrected: one letter more or less makes another valid name (`top_a`, `min_p`). */
const misspelt = (name: string): string | undefined =>
  ofServers.has(name)
    ? undefined
    : [...Object.keys(kwargs), ...Object.keys(aliases)].find(key => key.length > 6 && distance(key, name) <= 2)
