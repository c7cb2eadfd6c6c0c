import type { Json } from '../base/canonical-json.js'
import type { JsonObject } from '../cache/records.js'

/**
 * A task's scoring with `METEOR_JAR` in its entries of `meteor` that name no jar. Without one an entry that is `optional` only collects
 * answers: METEOR is a program in Java that is not part of this one, and a benchmark has other measures beside it.
 */
export function withMeteorJar(config: JsonObject, { METEOR_JAR: jar }: NodeJS.ProcessEnv): JsonObject {
  const { metric_list: entries } = config
  if (!isList(entries)) return config
  return { ...config, metric_list: entries.map(entry => (isMeteor(entry) ? placed(entry, jar) : entry)) }
}

function placed({ optional, ...entry }: JsonObject, jar: string | undefined): JsonObject {
  if (entry['jar'] !== undefined) return entry
  if (jar !== undefined && jar !== '') return { ...entry, jar }
  if (optional !== true) return entry
  const { name = 'meteor', higher_is_better: direction = true } = entry
  return {
    metric: 'bypass',
    name,
    higher_is_better: direction,
    note: 'left out: METEOR_JAR does not say where METEOR is',
  }
}

const isMeteor = (entry: Json): entry is JsonObject =>
  typeof entry === 'object' && entry !== null && !isList(entry) && entry['metric'] === 'meteor'

// Array.isArray does not narrow a readonly array out of a union.
const isList = (value: Json | undefined): value is readonly Json[] => Array.isArray(value)
