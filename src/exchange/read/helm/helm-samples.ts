import { PipelineError } from '../../../../base/errors/errors.js'
import { largestRecordLimit } from '../../../../base/files/record-limit.js'
import { shownPath } from '../../../../base/files/shown-path.js'
import type { Json } from '../../../../base/values/canonical-json.js'
import { present } from '../../../../base/values/present.js'
import { without } from '../../../../base/values/without.js'
import type { JsonObject } from '../../../../cache/records.js'
import { itemsOfField } from '../../../../stages/input/datasets/json/json-items.js'
import type { ForeignAnswer, ForeignMessage, ForeignPart, ForeignSample } from '../../foreign-log.js'
import { readSampleStats, sampleKey, type SampleStats } from './helm-stats.js'
import { chatMessage, fieldsIn, listIn, mediumAt, nameIn, numberIn, parseFields, textIn } from '../loose-values.js'

/**
 * Yields the samples of `scenario_state.json`. A sample may have several requests, one for each of its choices, which
 * follow each other in the file.
 */
export async function* helmSamples(
  file: string,
  { stats, hasTrials }: { readonly stats?: string; readonly hasTrials: boolean },
): AsyncGenerator<ForeignSample> {
  const statistics = stats === undefined ? undefined : await readSampleStats(stats)
  const keys = new Set<string>()
  let states: JsonObject[] = []
  let key: string | undefined
  for await (const { text, line } of itemsOfField(file, 'request_states', largestRecordLimit)) {
    const location = `${shownPath(file)}:${line}`
    const state = parseFields(text, () => location)
    const next = readSampleKey(state, location)
    if (next !== key) {
      if (key !== undefined) yield convertSample(states, { hasTrials, statistics: statistics?.of(key) })
      if (keys.has(next))
        throw new PipelineError('dataset', `${location}  the requests of this instance do not follow each other`)
      keys.add(next)
      key = next
      states = []
    }
    states.push(state)
  }
  if (key !== undefined) yield convertSample(states, { hasTrials, statistics: statistics?.of(key) })
}

function readSampleKey(state: JsonObject, location: string): string {
  const instance = fieldsIn(state['instance'])
  const id = nameIn(instance?.['id'])
  if (id === undefined) throw new PipelineError('dataset', `${location}  this request has no instance with an id`)
  return sampleKey(id, instance?.['perturbation'], numberIn(state['train_trial_index']) ?? 0)
}

type Statistics = ReturnType<SampleStats['of']>

function convertSample(
  states: readonly JsonObject[],
  { hasTrials, statistics }: { readonly hasTrials: boolean; readonly statistics: Statistics | undefined },
): ForeignSample {
  const [first = {}] = states
  const instance = fieldsIn(first['instance']) ?? {}
  const references = (listIn(instance['references']) ?? []).map(fieldsIn)
  const texts = references.map(reference => textIn(fieldsIn(reference?.['output'])?.['text']) ?? '')
  const correct = texts.filter((_, at) => listIn(references[at]?.['tags'])?.includes('correct'))
  const isChoice = first['output_mapping'] !== undefined || first['reference_index'] !== undefined
  // The requests of `calibration` ask without the question, to correct the likelihoods.
  const answers = states.filter(state => state['request_mode'] !== 'calibration').flatMap(readAnswers)
  const usage = convertUsage(statistics?.counts)
  return {
    id: sampleId(instance, hasTrials ? numberIn(first['train_trial_index']) : undefined),
    doc: makeDoc(instance, first['output_mapping']),
    messages: readMessages(fieldsIn(first['request']) ?? {}),
    ...(correct.length === 0 ? {} : { target: correct.length === 1 ? (correct[0] ?? null) : correct }),
    ...(isChoice ? { choices: texts } : {}),
    answers: answers.length === 1 && usage !== undefined ? answers.map(answer => ({ ...answer, usage })) : answers,
    scores: statistics?.scores ?? {},
  }
}

/** Makes a unique sample id. Perturbed instances and further trials with other examples have the id of the original. */
function sampleId(instance: JsonObject, trial: number | undefined): string {
  const { name, seed } = fieldsIn(instance['perturbation']) ?? {}
  const parts = [
    textIn(instance['id']),
    nameIn(name),
    numberIn(seed),
    trial === undefined ? undefined : `trial${trial}`,
  ]
  return parts.filter(part => part !== undefined).join('~')
}

function makeDoc(instance: JsonObject, outputMapping: Json | undefined): JsonObject {
  const { input, ...others } = without(instance, 'id')
  return present({ input: fieldsIn(input)?.['text'], ...others, output_mapping: outputMapping })
}

function convertUsage(counts: Statistics['counts'] | undefined): ForeignAnswer['usage'] {
  const usage = present({ input: counts?.['num_prompt_tokens'], output: counts?.['num_output_tokens'] })
  return Object.keys(usage).length === 0 ? undefined : usage
}

function readMessages(request: JsonObject): readonly ForeignMessage[] {
  const messages = listIn(request['messages'])
  if (messages !== undefined) return messages.map(chatMessage).filter(message => message !== undefined)
  const media = listIn(fieldsIn(request['multimodal_prompt'])?.['media_objects'])
  if (media !== undefined) return [{ role: 'user', content: media.map(convertPart) }]
  return [{ role: 'user', content: textIn(request['prompt']) ?? '' }]
}

function convertPart(value: Json): ForeignPart {
  const medium = fieldsIn(value)
  const location = textIn(medium?.['location'])
  return location === undefined
    ? { type: 'text', text: textIn(medium?.['text']) ?? '' }
    : mediumAt(location, nameIn(medium?.['content_type']))
}

function readAnswers(state: JsonObject): readonly ForeignAnswer[] {
  const result = fieldsIn(state['result'])
  const seconds = numberIn(result?.['request_time'])
  const common = present({
    choice: numberIn(state['reference_index']),
    latencyMs: seconds === undefined ? undefined : seconds * 1000,
  })
  const error =
    result === undefined
      ? 'the request has no result'
      : result['success'] === false
        ? describeFailure(result)
        : undefined
  if (error !== undefined) return [{ ...common, error }]
  return (listIn(result?.['completions']) ?? []).map(value => {
    const completion = fieldsIn(value)
    const logprob = numberIn(completion?.['logprob'])
    return {
      ...common,
      ...present({
        text: textIn(completion?.['text']),
        // Clients of HELM write 0 where the service states no likelihood.
        logprob: logprob === 0 ? undefined : logprob,
        finish: nameIn(fieldsIn(completion?.['finish_reason'])?.['reason']),
        reasoning: nameIn(fieldsIn(completion?.['thinking'])?.['text']),
      }),
    }
  })
}

const describeFailure = (result: JsonObject): string => nameIn(result['error']) ?? 'the request failed'
