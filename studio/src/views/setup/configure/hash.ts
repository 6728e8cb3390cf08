// The first digits of a hash, for people to compare.
export const shortHash = (hash: string | undefined): string | undefined => hash && `${hash.slice(0, 8)}…`;
