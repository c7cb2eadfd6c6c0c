import type { LeaderboardModelJson } from '../../../present/page/data/index.js'

/** The columns of the table, as indices of models, and the heads of their groups. */
export interface ArrangedColumns {
  readonly columns: readonly number[]
  /** Empty if columns are not grouped. */
  readonly groups: readonly { readonly title: string; readonly columns: number }[]
}

/** The keys that columns can be grouped by: `model`, `tag`, and the settings that differ. */
export function listGroupKeys(models: readonly LeaderboardModelJson[]): readonly string[] {
  const settings = [...new Set(models.flatMap(model => Object.keys(model.settings)))].sort()
  return [
    'model',
    ...(models.some(({ tags }) => tags.length > 0) ? ['tag'] : []),
    ...settings.map(name => `setting:${name}`),
  ]
}

/** Names the group of a model. The first group of all is empty: models without the tag or the setting. */
function readGroup({ name, tags, settings }: LeaderboardModelJson, by: string): string {
  if (by === 'model') return name
  if (by === 'tag') return tags.join(', ')
  return settings[by.replace(/^setting:/, '')] ?? ''
}

/**
 * Leaves out hidden columns, and puts columns of one group side by side.
 *
 * @param options.by a group key; empty for the order of the leaderboard
 */
export function arrangeColumns(
  models: readonly LeaderboardModelJson[],
  { hidden, by }: { readonly hidden: readonly string[]; readonly by: string },
): ArrangedColumns {
  const shownModels = models.flatMap((model, index) => (hidden.includes(model.label) ? [] : [{ model, index }]))
  if (by === '') return { columns: shownModels.map(({ index }) => index), groups: [] }
  const groups = new Map<string, number[]>()
  for (const { model, index } of shownModels) {
    const title = readGroup(model, by)
    groups.set(title, [...(groups.get(title) ?? []), index])
  }
  const sorted = [...groups].sort(([a], [b]) => a.localeCompare(b, 'en', { numeric: true }))
  return {
    columns: sorted.flatMap(([, indices]) => indices),
    groups: sorted.map(([title, indices]) => ({ title: title === '' ? 'none' : title, columns: indices.length })),
  }
}

/** Reads the labels of hidden columns in an address. A text that is no list hides none. */
export function parseHidden(text: string | undefined): readonly string[] {
  try {
    const parsed: unknown = JSON.parse(text ?? '[]')
    return Array.isArray(parsed) ? parsed.filter(label => typeof label === 'string') : []
  } catch {
    return []
  }
}

/** Formats the labels of hidden columns for an address. */
export const formatHidden = (labels: readonly string[]): string | undefined =>
  labels.length === 0 ? undefined : JSON.stringify(labels)
