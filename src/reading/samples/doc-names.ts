/** Makes unique names of docs, by which two runs are paired. Docs with equal ids are numbered in order. The browser shares this file. */

/** Counts the docs of a task with the same id that came before. */
function equalDocs(): (task: string, id: string) => number {
  const tasks = new Map<string, { readonly ids: Set<string>; readonly repeated: Map<string, number> }>()
  return (task, id) => {
    let taskIds = tasks.get(task)
    if (taskIds === undefined) {
      taskIds = { ids: new Set(), repeated: new Map() }
      tasks.set(task, taskIds)
    }
    // Most ids are new, and take one look-up.
    const idCount = taskIds.ids.size
    if (taskIds.ids.add(id).size > idCount) return 0
    const before = (taskIds.repeated.get(id) ?? 0) + 1
    taskIds.repeated.set(id, before)
    return before
  }
}

/** @returns a function that names a doc uniquely. Call it with each doc of a run, in order */
export function docNames(): (task: string, id: string) => string {
  const countBefore = equalDocs()
  return (task, id) => `${task}\u0000${id}\u0000${countBefore(task, id)}`
}

/** @returns a function that is called with each doc of a run, in order, and gives it an id to show: the second doc with an id is `ID#2` */
export function distinctIds(): (task: string, id: string) => string {
  const countBefore = equalDocs()
  return (task, id) => {
    const before = countBefore(task, id)
    return before === 0 ? id : `${id}#${before + 1}`
  }
}
