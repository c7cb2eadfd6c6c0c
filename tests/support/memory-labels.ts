import { checkLabel, labelAddress } from '../../cache/facts/label-rules.js'
import type { LabelAddress, MadeLabel, PlacedLabels, StoredLabel } from '../../cache/records.js'
import type { JudgementStore, LabelStore } from '../../cache/store.js'
import type { MemoryHandle } from './memory-handle.js'

const isSameContent = (a: LabelAddress, b: LabelAddress): boolean => a.record === b.record && a.answers === b.answers

const isSameLabel = (a: MadeLabel, b: MadeLabel): boolean =>
  isSameContent(a, b) && a.author === b.author && a.at === b.at && a.label === b.label && a.note === b.note

export function memoryLabels({ data, read, write }: MemoryHandle, samples: JudgementStore['samples']): LabelStore {
  const historyOf = (address: LabelAddress): readonly StoredLabel[] =>
    data.labels.filter(label => isSameContent(label, address))
  const insert = (label: MadeLabel): StoredLabel => {
    const stored = { ...label, id: data.labels.length + 1 }
    data.labels.push(stored)
    return stored
  }
  return {
    add: label =>
      write(() => {
        checkLabel(label)
        const times = historyOf(label).flatMap(({ author, at }) => (author === label.author ? [at + 1] : []))
        return insert({ ...label, at: Math.max(Date.now(), ...times) })
      }),
    merge: labels =>
      write(() => {
        for (const label of labels) checkLabel(label)
        let added = 0
        for (const label of labels) {
          if (data.labels.some(known => isSameLabel(known, label))) continue
          insert(label)
          added += 1
        }
        return added
      }),
    of: addresses => read(() => addresses.map(historyOf)),
    async ofRun(run, judgement) {
      const placed: PlacedLabels[] = []
      for await (const sample of samples(run, judgement)) {
        const address = labelAddress(sample)
        const labels = address === undefined ? [] : historyOf(address)
        if (labels.length > 0) placed.push({ task: sample.task, index: sample.index, labels })
      }
      return placed
    },
    async *list(after = 0) {
      yield* await read(() => data.labels.filter(({ id }) => id > after))
    },
  }
}
