/** An ESLint rule: a function is named by a verb and an object. A bare participle (`shown`) or `…Of` (`labelsOf`) says neither what it does nor what it gives. */

const irregular =
  /^(?:un|re|over|mis)?(?:begun|bound|broken|brought|built|caught|chosen|done|drawn|driven|fallen|felt|found|forgotten|frozen|given|gone|grown|heard|held|hidden|kept|known|laid|left|lost|made|meant|met|paid|said|seen|sent|shown|sold|sought|spent|spoken|stood|taken|thought|thrown|told|understood|won|worn|written)$/
const regular = /^(?!(?:embed|exceed|feed|need|proceed|seed|shed|speed|succeed)$)[a-z]+ed$/

/** Names of the library's API, and one that reads best as it is. */
const allowed = new Set(['messageOf', 'scored', 'unparsed'])

const isBad = name => !allowed.has(name) && (regular.test(name) || irregular.test(name) || /[a-z\d]Of$/.test(name))

export const functionNames = {
  meta: { type: 'suggestion', schema: [], messages: { verb: 'Name the function "{{name}}" by a verb and an object.' } },
  create: context => {
    const check = id => {
      if (id?.type === 'Identifier' && isBad(id.name))
        context.report({ node: id, messageId: 'verb', data: { name: id.name } })
    }
    return {
      FunctionDeclaration: ({ id }) => check(id),
      'VariableDeclarator[init.type=/^(?:Arrow)?Function(?:Expression)?$/]': ({ id }) => check(id),
    }
  },
}
