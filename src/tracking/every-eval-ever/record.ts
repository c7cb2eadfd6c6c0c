/** The record of one task: the source, the model, and a result for each number. */
import { basename } from 'node:path'
import { present } from '../../../base/values/present.js'
import type { Aggregate, DatasetIdentity, GenerationKwargs, JsonObject } from '../../../cache/records.js'
import { metricLabel } from '../../reading/metric-label.js'
import type { TrackedRun } from '../tracked-run.js'

/** The version of the schema that records follow. */
export const schemaVersion = '0.3.0'

/** Facts about a run that only people know. */
export interface RecordSettings {
  readonly organization?: string | undefined
  readonly relationship?: string | undefined
  readonly deployment?: string | undefined
  readonly availability?: string | undefined
}

/** The names of one task's record. */
export interface RecordIdentity {
  /** The task's number in the run. */
  readonly task: number
  readonly name: string
  /** `developer/model`. */
  readonly model: string
  readonly developer: string
  /** Seconds since 1970, as a text. */
  readonly retrieved: string
  readonly id: string
  /** The path of the record without its extension, below the folder. */
  readonly path: string
}

/** The file of a task's samples. */
export interface WrittenSamples {
  /** The SHA-256 of the file, as hexadecimal digits. */
  readonly checksum: string
  readonly rows: number
  /** The generation arguments of the first request. */
  readonly generation?: GenerationKwargs
}

/** Makes the record of a task. Numbers without a value are left out. */
export function makeRecord(
  run: TrackedRun,
  identity: RecordIdentity,
  { given, samples }: { readonly given: RecordSettings; readonly samples?: WrittenSamples | undefined },
): JsonObject {
  const { provenance } = run.run
  const { name, retrieved } = identity
  return {
    schema_version: schemaVersion,
    evaluation_id: identity.id,
    evaluation_timestamp: String(Math.floor(run.startedAt / 1_000)),
    retrieved_timestamp: retrieved,
    source_metadata: {
      source_name: run.name,
      source_type: 'evaluation_run',
      source_organization_name: given.organization ?? 'unknown',
      evaluator_relationship: given.relationship ?? 'other',
      additional_details: { run_id: run.run.id, judgement: String(run.judgement.number) },
    },
    eval_library: {
      name: 'pipeline',
      version: provenance.version,
      ...(provenance.commit !== undefined && { additional_details: { commit: provenance.commit } }),
    },
    model_info: {
      name: identity.model.slice(identity.developer.length + 1),
      id: identity.model,
      developer: identity.developer,
      inference_platform: run.run.asked.model.backend,
      additional_details: {
        deployment_type: given.deployment ?? 'unknown',
        model_availability: given.availability ?? 'unknown',
      },
    },
    evaluation_results: run.judgement.aggregates
      .filter(({ task }) => task === name)
      .flatMap(aggregate => makeResult(run, identity, { aggregate, generation: samples?.generation })),
    ...(samples && {
      detailed_evaluation_results: {
        format: 'jsonl',
        file_path: `${identity.path.replaceAll('\\', '/')}_samples.jsonl`,
        hash_algorithm: 'sha256',
        checksum: samples.checksum,
        total_rows: samples.rows,
      },
    }),
  }
}

/** Names one number within a record: `exact_match`, or `exact_match [subject=math]` for a part of the docs. */
export const resultId = ({ id }: RecordIdentity, aggregate: Pick<Aggregate, 'metric' | 'filter' | 'group'>): string =>
  `${id}#${metricLabel(aggregate)}${formatPart(aggregate)}`

const formatPart = ({ group }: Pick<Aggregate, 'group'>): string =>
  group === undefined ? '' : ` [${group.field}=${group.label}]`

function makeResult(
  run: TrackedRun,
  identity: RecordIdentity,
  { aggregate, generation }: { readonly aggregate: Aggregate; readonly generation: GenerationKwargs | undefined },
): readonly JsonObject[] {
  const { value, n, total, unparsed, judges = [], filter } = aggregate
  if (value === null) return []
  return [
    {
      evaluation_result_id: resultId(identity, aggregate),
      evaluation_name: `${identity.name}${formatPart(aggregate)}`,
      source_data: describeSource(run.run.asked.tasks[identity.task]?.dataset, total),
      metric_config: {
        metric_id: aggregate.metric,
        metric_name: metricLabel(aggregate),
        lower_is_better: !aggregate.higherIsBetter,
        ...describeRange(aggregate),
        additional_details: {
          filter,
          ...(judges.length > 0 && { judges: judges.join(', ') }),
          ...(aggregate.note !== undefined && { note: aggregate.note }),
        },
      },
      score_details: {
        score: value,
        details: { docs: String(total), scored: String(n), unparsed: String(unparsed) },
        uncertainty: describeUncertainty(aggregate),
      },
      ...(generation && { generation_config: describeGeneration(generation) }),
    },
  ]
}

/** Only the range of shares is known. */
function describeRange({ intervalMethod, intervalRange: [low, high] = [0, 1] }: Aggregate): JsonObject {
  return intervalMethod === 'wilson' ? { score_type: 'continuous', min_score: low, max_score: high } : {}
}

function describeUncertainty({ stderr, interval, intervalMethod, n }: Aggregate): JsonObject {
  return {
    ...(stderr !== null && { standard_error: { value: stderr } }),
    ...(interval !== null && {
      confidence_interval: {
        lower: interval[0],
        upper: interval[1],
        confidence_level: 0.95,
        ...(typeof intervalMethod === 'string' && { method: intervalMethod }),
      },
    }),
    num_samples: n,
  }
}

function describeSource(dataset: DatasetIdentity | undefined, docs: number): JsonObject {
  const { path = '', config, split, revision } = dataset ?? {}
  const details = Object.entries(present({ config, split, revision }))
  const additional = details.length === 0 ? {} : { additional_details: Object.fromEntries(details) as JsonObject }
  if (revision !== undefined)
    return {
      source_type: 'hf_dataset',
      dataset_name: path,
      hf_repo: path,
      ...(split !== undefined && { hf_split: split }),
      samples_number: docs,
      ...additional,
    }
  if (/^https?:/.test(path)) return { source_type: 'url', dataset_name: basename(path), url: [path], ...additional }
  return { source_type: 'other', dataset_name: basename(path) || 'unknown', ...additional }
}

function describeGeneration(generation: GenerationKwargs): JsonObject {
  const { temperature, top_p, top_k, max_new_tokens: maxTokens, ...others } = generation
  const details = Object.entries(present(others)).map(([name, value]) => [
    name,
    typeof value === 'string' ? value : JSON.stringify(value),
  ])
  return {
    generation_args: present({ temperature: temperature ?? 0, top_p, top_k, max_tokens: maxTokens }),
    ...(details.length > 0 && { additional_details: Object.fromEntries(details) as JsonObject }),
  }
}
