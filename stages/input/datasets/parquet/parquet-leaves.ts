import { ownValue } from '../../../../base/values/named-values.js'
import type { ColumnChunk, FileMetaData, RowGroup, SchemaElement, SchemaTree } from 'hyparquet'

/** The path of a leaf column in a schema: `['image', 'bytes']`. */
export type Leaf = readonly string[]

export const readLeafPath = ({ meta_data: meta }: ColumnChunk): Leaf => meta?.path_in_schema ?? []

/**
 * Restricts a row group to some leaf columns, as a file without other columns. A nested column keeps only the
 * selected leaves.
 */
export function withLeaves(
  metadata: FileMetaData,
  group: RowGroup,
  isAsked: (leaf: Leaf) => boolean,
): { readonly metadata: FileMetaData; readonly group: RowGroup } {
  const own: RowGroup = { ...group, columns: group.columns.filter(chunk => isAsked(readLeafPath(chunk))) }
  const kept = new Set(own.columns.map(chunk => readLeafPath(chunk).join('\0')))
  const [root, ...rest] = metadata.schema
  const schema = root === undefined ? [] : prune(root, rest, { path: [], kept }).elements
  return { group: own, metadata: { ...metadata, schema, row_groups: [own], num_rows: own.num_rows } }
}

interface Pruned {
  readonly elements: SchemaElement[]
  readonly rest: readonly SchemaElement[]
}

/** Prunes a schema, which is a list of elements, each before its children. */
function prune(
  element: SchemaElement,
  after: readonly SchemaElement[],
  { path, kept }: { readonly path: Leaf; readonly kept: ReadonlySet<string> },
): Pruned {
  const children = element.num_children ?? 0
  if (children === 0) return { elements: kept.has(path.join('\0')) ? [element] : [], rest: after }
  const elements: SchemaElement[] = []
  let rest = after
  let childCount = 0
  for (let child = 0; child < children; child++) {
    const [next, ...following] = rest
    if (next === undefined) break
    const pruned = prune(next, following, { path: [...path, next.name], kept })
    if (pruned.elements.length > 0) childCount += 1
    elements.push(...pruned.elements)
    rest = pruned.rest
  }
  const isRoot = path.length === 0
  return { elements: childCount > 0 || isRoot ? [{ ...element, num_children: childCount }, ...elements] : [], rest }
}

/** Returns whether a leaf column is in no list. It then has one value for each row and can be read without its neighbours. */
export function isPlain(leaf: Leaf, schema: SchemaTree): boolean {
  let node: SchemaTree | undefined = schema
  for (const name of leaf) {
    node = node.children.find(child => child.element.name === name)
    if (node === undefined || node.element.repetition_type === 'REPEATED') return false
  }
  return true
}

/** Merges two readings of one row that have different columns. */
export function mergeRows(
  row: Readonly<Record<string, unknown>>,
  other: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const more = Object.entries(other).map(([name, value]) => {
    const before = ownValue(row, name)
    return [name, isGroup(before) && isGroup(value) ? mergeRows(before, value) : (value ?? before)] as const
  })
  return Object.fromEntries([...Object.entries(row), ...more])
}

const isGroup = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
