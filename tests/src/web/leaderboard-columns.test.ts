import { expect, test } from 'vitest'
import { arrangeColumns, formatHidden, listGroupKeys, parseHidden } from '../../../src/web/pages/leaderboard/columns.js'

const makeModel = (name: string, shots: string | undefined, ...tags: readonly string[]) => ({
  label: shots === undefined ? name : `${name} (num_fewshot=${shots})`,
  runs: [],
  ...{ name, tags },
  settings: shots === undefined ? {} : { num_fewshot: shots },
})
const models = [makeModel('large', '10', 'new'), makeModel('large', '5'), makeModel('small', '5', 'new', 'old')]

test('groups columns by model, tags and settings', () => {
  expect(listGroupKeys(models)).toEqual(['model', 'tag', 'setting:num_fewshot'])
  expect(arrangeColumns(models, { hidden: [], by: '' })).toEqual({ columns: [0, 1, 2], groups: [] })
  expect(arrangeColumns(models, { hidden: [], by: 'setting:num_fewshot' })).toEqual({
    columns: [1, 2, 0],
    groups: [
      { title: '5', columns: 2 },
      { title: '10', columns: 1 },
    ],
  })
  expect(arrangeColumns(models, { hidden: [], by: 'tag' }).groups.map(({ title }) => title)).toEqual([
    'none',
    'new',
    'new, old',
  ])
})

test('the address contains hidden columns, and a group without columns is omitted', () => {
  const hidden = parseHidden(formatHidden(['small (num_fewshot=5)']))
  expect(arrangeColumns(models, { hidden, by: 'model' })).toEqual({
    columns: [0, 1],
    groups: [{ title: 'large', columns: 2 }],
  })
  expect(formatHidden([])).toBeUndefined()
  for (const text of [undefined, '{', '5']) expect(parseHidden(text)).toEqual([])
})
