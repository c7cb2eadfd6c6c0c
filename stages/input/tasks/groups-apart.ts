import type { GroupSource, TaskNode } from './task-tree.js'

/**
 * Groups that are written within others may go by one name in several of them (`stem` in each form of MMLU), which lmms-eval runs one at a
 * time. Where several are named at once, each has the name of the group around it before its own, and is shown by its own.
 */
export function groupsApart(nodes: readonly TaskNode[]): readonly TaskNode[] {
  const places = new Map<string, Set<string>>()
  for (const { name, yaml } of groupsIn(nodes)) places.set(name, (places.get(name) ?? new Set()).add(yaml.at([])))
  const apart = (node: TaskNode, around?: string): TaskNode => {
    if (node.type === 'task') return node
    const { group } = node
    const isShared = group.isWithin === true && (places.get(group.name)?.size ?? 0) > 1
    const named = isShared && around !== undefined ? within(around, group) : group
    return { type: 'group', group: { ...named, members: group.members.map(member => apart(member, named.name)) } }
  }
  return nodes.map(node => apart(node))
}

const within = (around: string, group: GroupSource): GroupSource => ({
  ...group,
  name: `${around}/${group.name}`,
  config: { ...group.config, group_alias: group.config.group_alias ?? group.name },
})

const groupsIn = (nodes: readonly TaskNode[]): readonly GroupSource[] =>
  nodes.flatMap(node => (node.type === 'group' ? [node.group, ...groupsIn(node.group.members)] : []))
