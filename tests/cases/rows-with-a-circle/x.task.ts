import { defineTask, exactMatch, rows } from 'pipeline'

interface Row {
  q: string
  self?: Row
}

const row: Row = { q: 'a' }
row.self = row

export const x = defineTask({
  name: 'x',
  module: import.meta.url,
  dataset: rows([row]),
  prompt: doc => doc.q,
  target: () => 'a',
  metrics: { e: exactMatch() },
})
