import { oneLine } from '../../../base/text/visible-text.js'
import { formatQuantity } from '../../../base/text/numbers.js'
import { isObject } from '../../../base/values/canonical-json.js'
import type { Run } from '../../../cache/records.js'
import { metricKey, type DocPlace, type ScoredDocs } from './pair-samples.js'

/** The docs of one run of a comparison. */
export interface RunDocs {
  readonly run: Pick<Run, 'asked' | 'provenance'>
  readonly docs: ScoredDocs
  /** The name of the run in messages. */
  readonly label: string
}

/** Tells whether a run was imported from the log of another tool. */
export const isImported = ({ provenance }: Pick<Run, 'provenance'>): boolean =>
  isObject(provenance.config) && provenance.config['imported'] !== undefined

/**
 * Replaces the ids of an imported run's docs by those of the other run, if the log only numbers its docs. The notes name docs paired by index, docs
 * that cannot be paired, and differing targets.
 */
export function alignDocs(a: RunDocs, b: RunDocs): { readonly a: ScoredDocs; readonly notes: readonly string[] } {
  if (!isImported(a.run) && !isImported(b.run)) return { a: a.docs, notes: [] }
  const notes: string[] = []
  const newIds = new Map<string, ReadonlyMap<string, string>>()
  for (const { name: task } of a.run.asked.tasks) {
    const [own, other] = [a.docs.places.get(task), b.docs.places.get(task)]
    if (own === undefined || other === undefined) continue
    const isByIndex = isNumbered(a, own, other) || isNumbered(b, other, own)
    const ids = isByIndex ? idsByIndex(own, other) : undefined
    if (ids !== undefined) {
      newIds.set(task, ids)
      notes.push(`${oneLine(task)}: docs are paired by their index, because a log numbers them and has no other ids`)
    }
    notes.push(...pairNotes(task, { a, b, own, other, idOf: id => ids?.get(id) ?? id }))
  }
  return { a: newIds.size === 0 ? a.docs : renameDocs(a.docs, newIds), notes }
}

type Places = ReadonlyMap<string, DocPlace>

/** Tools number docs from 0, and Inspect from 1. A number from 1 may also be the dataset's id, which is then in the other run. */
function isNumbered({ run }: RunDocs, own: Places, other: Places): boolean {
  if (!isImported(run)) return false
  if (isFrom(0, own)) return !isFrom(0, other)
  return isFrom(1, own) && (isFrom(0, other) || ![...own.keys()].every(id => other.has(id)))
}

const isFrom = (first: number, places: Places): boolean =>
  [...places].every(([id, { index }]) => id === String(index + first))

/** The id that each doc has in the other run. A doc that is not there gets a name that no doc has. */
function idsByIndex(own: Places, other: Places): ReadonlyMap<string, string> {
  const ids = new Map([...other].map(([id, { index }]) => [index, id]))
  return new Map([...own].map(([id, { index }]) => [id, ids.get(index) ?? `\u0000${id}`]))
}

function renameDocs(docs: ScoredDocs, newIds: ReadonlyMap<string, ReadonlyMap<string, string>>): ScoredDocs {
  const values = [...docs.values].map(([key, ofDocs]) => {
    const ids = newIds.get(key.slice(0, key.indexOf('\u0000')))
    return [key, new Map([...ofDocs].map(([id, value]) => [ids?.get(id) ?? id, value]))] as const
  })
  const clusters = [...docs.clusters].map(([key, cluster]) => {
    const end = key.indexOf('\u0000')
    const [task, id] = [key.slice(0, end), key.slice(end + 1)]
    return [metricKey(task, newIds.get(task)?.get(id) ?? id), cluster] as const
  })
  return { ...docs, values: new Map(values), clusters: new Map(clusters) }
}

interface PairedPlaces {
  readonly a: RunDocs
  readonly b: RunDocs
  readonly own: Places
  readonly other: Places
  readonly idOf: (id: string) => string
}

function pairNotes(task: string, { a, b, own, other, idOf }: PairedPlaces): string[] {
  const pairs = [...own].flatMap(([id, place]) => {
    const second = other.get(idOf(id))
    return second === undefined ? [] : [{ id: idOf(id), first: place.target, second: second.target }]
  })
  const name = oneLine(task)
  if (pairs.length === 0)
    return [
      `${name}: no doc has the same id in both runs. ${a.label} has ${few(own)}, and ${b.label} has ${few(other)}.`,
      `  Give the docs of one of them the ids of the other: a dataset's field "id", "question_id" or "doc_id" is the id.`,
    ]
  const differing = pairs.filter(({ first, second }) => first !== undefined && second !== undefined && first !== second)
  const [example] = differing
  if (example === undefined) return []
  return [
    `${name}: ${formatQuantity(differing.length, 'doc')} of ${pairs.length} have another target in the other run, such as ${oneLine(example.id)} ("${oneLine(example.first ?? '')}" and "${oneLine(example.second ?? '')}").`,
    '  If the targets do not mean the same, these ids name different docs, and the comparison is wrong.',
  ]
}

const few = (places: Places): string => {
  const ids = [...places.keys()].slice(0, 3).map(oneLine).join(', ')
  return places.size > 3 ? `${ids}, …` : ids
}
