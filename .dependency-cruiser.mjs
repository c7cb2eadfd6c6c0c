/** Import cycles are refused, those of types included: each file can be understood after the files that it imports. */
export default {
  forbidden: [
    {
      name: 'no-import-cycles',
      comment: 'Move what both files need into a file of its own, or into the one that is imported.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'no-cycles-of-rooms',
      comment:
        'Rooms below src import each other in one direction. Move the file to the room that uses it, or what both use to a lower one.',
      severity: 'error',
      scope: 'folder',
      from: { path: '^src/[^/]+$' },
      to: { circular: true },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
  },
}
