/** The lines of one task's samples: one for each sample and number. */
import { createHash } from 'node:crypto'
import { writeWhole } from '../../../base/files/write-whole.js'
import { present } from '../../../base/values/present.js'
import { hexDigits, sha256 } from '../../../cache/digest.js'
import { isRightValue } from '../../../cache/facts/sample-facts.js'
import { knownDuration } from '../../../cache/facts/known-duration.js'
import type { Aggregate, ChatMessage, GenerationKwargs, JsonObject } from '../../../cache/records.js'
import type { Sample } from '../../../cache/store.js'
import { extractQuestion, formatAnswer } from '../../present/page/samples/sample-row.js'
import { formatValue } from '../../present/page/samples/texts.js'
import { metricLabel } from '../../reading/metric-label.js'
import type { TrackedRun } from '../tracked-run.js'
import { resultId, schemaVersion, type RecordIdentity, type WrittenSamples } from './record.js'

/** Writes the samples of a task. Samples without a score have no line. */
export async function writeSampleLines(
  { store, run, judgement }: TrackedRun,
  identity: RecordIdentity,
  file: string,
): Promise<WrittenSamples> {
  const numbers = judgement.aggregates.filter(({ task, group }) => task === identity.name && group === undefined)
  const hash = createHash('sha256')
  let rows = 0
  let generation: GenerationKwargs | undefined
  const lines = async function* (): AsyncGenerator<string> {
    for await (const sample of store.judgements.samples(run, judgement)) {
      if (sample.task !== identity.task) continue
      generation ??= sample.items[0]?.request?.generation
      for (const line of makeLines(sample, identity, numbers)) {
        const text = `${JSON.stringify(line)}\n`
        hash.update(text)
        rows += 1
        yield text
      }
    }
  }
  await writeWhole(file, lines())
  return { checksum: hash.digest('hex'), rows, ...(generation && { generation }) }
}

function makeLines(sample: Sample, identity: RecordIdentity, numbers: readonly Aggregate[]): readonly JsonObject[] {
  const { record, items, score } = sample
  const raw = extractQuestion(sample)
  const reference = (Array.isArray(record.target) ? record.target : [record.target]).map(formatValue)
  const [first] = items
  const shared = {
    schema_version: schemaVersion,
    evaluation_id: identity.id,
    model_id: identity.model,
    evaluation_name: identity.name,
    sample_id: sample.id,
    sample_hash: hexDigits(sha256(raw + reference.join(''))),
    interaction_type: 'single_turn',
    input: {
      raw,
      formatted: formatMessages(first?.request?.input.messages ?? []),
      reference,
      ...(record.choices !== undefined && { choices: [...record.choices] }),
    },
    output: {
      raw:
        record.choices === undefined ? items.map(({ response }) => response?.body.text ?? '') : [formatAnswer(sample)],
      ...reasoningTrace(sample),
    },
    ...sumUsage(sample),
    ...latency(sample),
  }
  return numbers.flatMap(aggregate => {
    const label = metricLabel(aggregate)
    const value = score?.values[label]
    const number = typeof value === 'boolean' ? Number(value) : value
    if (typeof number !== 'number' || !Number.isFinite(number)) return []
    const extracted = score?.extracted[label]
    return [
      {
        ...shared,
        evaluation_result_id: resultId(identity, aggregate),
        answer_attribution: [
          {
            turn_idx: 0,
            source: 'output.raw',
            extracted_value: extracted === undefined ? formatAnswer(sample) : formatValue(extracted),
            extraction_method: label,
            is_terminal: true,
          },
        ],
        evaluation: { score: number, is_correct: isRightValue(number, !aggregate.higherIsBetter) },
      },
    ]
  })
}

const formatMessages = (messages: readonly ChatMessage[]): string =>
  messages
    .map(({ role, content }) => {
      const parts = content.map(part => (part.type === 'text' ? part.text : `<${part.type}>`))
      return `${role}: ${parts.join('')}`
    })
    .join('\n')

function reasoningTrace({ items }: Sample): JsonObject {
  const traces = items.map(({ response }) => response?.body.reasoning)
  return traces.every(trace => trace === undefined) ? {} : { reasoning_trace: traces.map(trace => trace ?? '') }
}

function sumUsage({ items }: Sample): JsonObject {
  const usages = items.map(({ response }) => response?.meta.usage)
  const add = (name: 'inputTokens' | 'outputTokens'): number | undefined => {
    const counts = usages.map(usage => usage?.[name])
    return counts.includes(undefined) ? undefined : counts.reduce<number>((sum, count = 0) => sum + count, 0)
  }
  const [input, output] = [add('inputTokens'), add('outputTokens')]
  if (input === undefined || output === undefined) return {}
  return { token_usage: { input_tokens: input, output_tokens: output, total_tokens: input + output } }
}

function latency({ items: [first] }: Sample): JsonObject {
  const ms = first?.response === undefined ? undefined : knownDuration(first.response.meta)
  return ms === undefined ? {} : { performance: present({ latency_ms: ms }) }
}
