/** Of the file in a store's folder. */
export const databaseName = 'store.sqlite'
