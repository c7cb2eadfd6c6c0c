import { isList, isObject, type Json } from '../../../../base/values/canonical-json.js'
import { sha256 } from '../../../../cache/digest.js'
import type { JsonObject } from '../../../../cache/records.js'
import { zhconvFile } from './zhconv.js'

const normalizer = 'simplified_chinese'

/**
 * Adds zhconv's table, named by the environment variable `ZHCONV_TABLE`, to every `simplified_chinese` in a task's
 * scoring rules. The file's digest is added too, so that docs are scored again after the table changes.
 *
 * @throws PipelineError if the file can't be read.
 */
export function withChineseTable(
  config: JsonObject,
  { ZHCONV_TABLE: path = '' }: Readonly<Record<string, string | undefined>>,
): JsonObject {
  const { metric_list: metrics, filter_list: pipelines, normalizers } = config
  const resolveNormalizer = (entry: Json): Json =>
    isObject(entry) && entry['normalizer'] !== undefined
      ? { ...entry, normalizer: mapItems(entry['normalizer'], normalizerEntry => resolveZhconv(normalizerEntry, path)) }
      : entry
  return {
    ...config,
    ...(metrics === undefined ? {} : { metric_list: mapItems(metrics, resolveNormalizer) }),
    ...(pipelines === undefined
      ? {}
      : { filter_list: mapItems(pipelines, pipeline => withFilters(pipeline, resolveNormalizer)) }),
    ...(normalizers === undefined ? {} : { normalizers: withLanguages(normalizers, path) }),
  }
}

const withLanguages = (normalizers: Json, path: string): Json =>
  isObject(normalizers)
    ? Object.fromEntries(
        Object.entries(normalizers).map(([language, list = []]) => [
          language,
          mapItems(list, normalizerEntry => resolveZhconv(normalizerEntry, path)),
        ]),
      )
    : normalizers

const withFilters = (pipeline: Json, placed: (filter: Json) => Json): Json =>
  isObject(pipeline) && pipeline['filter'] !== undefined
    ? { ...pipeline, filter: mapItems(pipeline['filter'], placed) }
    : pipeline

function resolveZhconv(entry: Json, path: string): Json {
  const own = isObject(entry) ? entry[normalizer] : entry === normalizer && path !== '' ? path : undefined
  if (typeof own !== 'string') return entry
  return { [normalizer]: own, sha256: sha256(zhconvFile(own)).replace('sha256:', '') }
}

const mapItems = (value: Json, change: (item: Json) => Json): Json =>
  isList(value) ? value.map(change) : change(value)
