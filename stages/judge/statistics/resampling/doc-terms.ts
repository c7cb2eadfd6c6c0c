/** Statistics of sums over docs whose terms are collected doc by doc. */
import { growingColumn } from '../../../../base/collections/growing-column.js'
import type { UnitStatistic, Units } from './units.js'

/** Numbers of docs that a statistic sums over the docs, in cells from 0. They take eight bytes a number. */
export interface DocTerms {
  readonly docs: number
  /** The number of cells. */
  readonly cells: number
  /** Adds a doc with its numbers for cells 0, 1, 2 and so on. */
  add(numbers: readonly number[]): void
  /** Adds a doc with numbers for some cells only. A list of terms has docs of one kind. */
  addCells(entries: readonly (readonly [cell: number, number: number])[]): void
  /** Calls back with each number that is stored. */
  visit(each: (doc: number, cell: number, number: number) => void): void
}

/** Creates an empty list of docs' terms. */
export function collectTerms(): DocTerms {
  const [numbers, cellNumbers, ends] = [growingColumn(), growingColumn(), growingColumn()]
  let [docs, cells] = [0, 0]
  return {
    get docs() {
      return docs
    },
    get cells() {
      return cells
    },
    add(row) {
      for (const number of row) numbers.push(number)
      cells = row.length
      docs += 1
    },
    addCells(entries) {
      for (const [cell, number] of entries) {
        cellNumbers.push(cell)
        numbers.push(number)
        cells = Math.max(cells, cell + 1)
      }
      ends.push(numbers.length)
      docs += 1
    },
    visit(each) {
      let at = 0
      for (let doc = 0; doc < docs; doc++) {
        const start = at
        const end = ends.length > 0 ? ends.at(doc) : at + cells
        for (; at < end; at++) each(doc, ends.length > 0 ? cellNumbers.at(at) : at - start, numbers.at(at))
      }
    },
  }
}

/** The maximum number of cells for dense storage, which includes zeros. */
const mostDense = 64

/**
 * Prepares a statistic of sums for resampling. The array that `combine` gets is overwritten by the next sums.
 *
 * @param units the unit of each doc
 */
export function prepareTerms(terms: DocTerms, units: Units, combine: (sums: Float64Array) => number): UnitStatistic {
  const addUnit = terms.cells <= mostDense ? keepRows(terms, units) : keepEntries(terms, units)
  const sums = new Float64Array(terms.cells)
  const totals = new Float64Array(terms.cells)
  for (let unit = 0; unit < units.count; unit++) addUnit(totals, unit, 1)
  return {
    units: units.count,
    estimate: combine(totals.slice()),
    computeForUnits(drawn) {
      sums.fill(0)
      for (let at = 0; at < drawn.length; at++) addUnit(sums, drawn[at] ?? 0, 1)
      return combine(sums)
    },
    computeWithout(group, groups) {
      sums.set(totals)
      for (let unit = group; unit < units.count; unit += groups) addUnit(sums, unit, -1)
      return combine(sums)
    },
  }
}

type AddUnit = (sums: Float64Array, unit: number, times: number) => void

/** Keeps a row of all cells for each unit. */
function keepRows(terms: DocTerms, { count, index }: Units): AddUnit {
  const { cells } = terms
  const rows = new Float64Array(count * cells)
  terms.visit((doc, cell, number) => {
    const at = (index[doc] ?? 0) * cells + cell
    rows[at] = (rows[at] ?? 0) + number
  })
  return (sums, unit, times) => {
    const from = unit * cells
    for (let cell = 0; cell < cells; cell++) sums[cell] = (sums[cell] ?? 0) + times * (rows[from + cell] ?? 0)
  }
}

/** Keeps the entries of each unit's docs. */
function keepEntries(terms: DocTerms, { count, index }: Units): AddUnit {
  const starts = new Uint32Array(count + 1)
  terms.visit(doc => {
    const next = (index[doc] ?? 0) + 1
    starts[next] = (starts[next] ?? 0) + 1
  })
  for (let unit = 0; unit < count; unit++) starts[unit + 1] = (starts[unit + 1] ?? 0) + (starts[unit] ?? 0)
  const filled = starts.slice()
  const cells = new Uint32Array(starts[count] ?? 0)
  const numbers = new Float64Array(starts[count] ?? 0)
  terms.visit((doc, cell, number) => {
    const unit = index[doc] ?? 0
    const at = filled[unit] ?? 0
    filled[unit] = at + 1
    cells[at] = cell
    numbers[at] = number
  })
  return (sums, unit, times) => {
    const end = starts[unit + 1] ?? 0
    for (let at = starts[unit] ?? 0; at < end; at++) {
      const cell = cells[at] ?? 0
      sums[cell] = (sums[cell] ?? 0) + times * (numbers[at] ?? 0)
    }
  }
}
