import { isList, isObject, type Json } from '../../../base/values/canonical-json.js'

/** Finds a field of a doc by its name or by its path: `question`, `idx.question` for a nested field, `answers.0` for an item of a list. */
export function findField(doc: Json, path: string): Json | undefined {
  if (isObject(doc) && Object.hasOwn(doc, path)) return doc[path]
  let at: Json | undefined = doc
  for (const step of path.split('.')) {
    if (isList(at)) at = at[Number(step)]
    else at = isObject(at) && Object.hasOwn(at, step) ? at[step] : undefined
  }
  return at
}
