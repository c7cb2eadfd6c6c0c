import { ownValue } from '../../../../base/values/named-values.js'
import type { ColumnChunk, FileMetaData, RowGroup, SchemaElement, SchemaTree } from 'hyparquet'

/** The place of a column of values in a schema: `['image', 'bytes']`. */
export type Leaf = readonly string[]

export const leafOf = ({ meta_data: meta }: ColumnChunk): Leaf => meta?.path_in_schema ?? []

/** Some columns of one row group, as a file that has nothing else. Of a group of columns those are left that are asked for. */
export function withLeaves(
  metadata: FileMetaData,
  group: RowGroup,
  isAsked: (leaf: Leaf) => boolean,
): { readonly metadata: FileMetaData; readonly group: RowGroup } {
  const own: RowGroup = { ...group, columns: group.columns.filter(chunk => isAsked(leafOf(chunk))) }
  const kept = new Set(own.columns.map(chunk => leafOf(chunk).join('\0')))
  const [root, ...rest] = metadata.schema
  const schema = root === undefined ? [] : prune(root, rest, { path: [], kept }).elements
  return { group: own, metadata: { ...metadata, schema, row_groups: [own], num_rows: own.num_rows } }
}

interface Pruned {
  readonly elements: SchemaElement[]
  readonly rest: readonly SchemaElement[]
}

/** A schema is a list of its elements, each before its children. */
function prune(
  element: SchemaElement,
  after: readonly SchemaElement[],
  { path, kept }: { readonly path: Leaf; readonly kept: ReadonlySet<string> },
): Pruned {
  const children = element.num_children ?? 0
  if (children === 0) return { elements: kept.has(path.join('\0')) ? [element] : [], rest: after }
  const elements: SchemaElement[] = []
  let rest = after
  let left = 0
  for (let child = 0; child < children; child++) {
    const [next, ...others] = rest
    if (next === undefined) break
    const found = prune(next, others, { path: [...path, next.name], kept })
    if (found.elements.length > 0) left += 1
    elements.push(...found.elements)
    rest = found.rest
  }
  const isRoot = path.length === 0
  return { elements: left > 0 || isRoot ? [{ ...element, num_children: left }, ...elements] : [], rest }
}

/** Whether a column of values stands in no list: then it has a value for each row, and can be read without its neighbours. */
export function isPlain(leaf: Leaf, schema: SchemaTree): boolean {
  let place: SchemaTree | undefined = schema
  for (const name of leaf) {
    place = place.children.find(child => child.element.name === name)
    if (place === undefined || place.element.repetition_type === 'REPEATED') return false
  }
  return true
}

/** What two readings of one row have, of which each has other columns. */
export function merged(
  one: Readonly<Record<string, unknown>>,
  other: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const more = Object.entries(other).map(([name, value]) => {
    const before = ownValue(one, name)
    return [name, isGroup(before) && isGroup(value) ? merged(before, value) : (value ?? before)] as const
  })
  return Object.fromEntries([...Object.entries(one), ...more])
}

const isGroup = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
