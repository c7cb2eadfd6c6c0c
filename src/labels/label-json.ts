import type { StoredLabel } from '../../cache/records.js'

/** A label as commands print it and files hold it. All of it is needed to import the label elsewhere. */
export const labelJson = ({ record, answers, label, note, author, at, run, task, doc }: StoredLabel) => ({
  label,
  note,
  author,
  at: new Date(at).toISOString(),
  run,
  task,
  doc_id: doc,
  record_key: record,
  answers_key: answers,
})
