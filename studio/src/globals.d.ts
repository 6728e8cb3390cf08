/** The version of Studio, from package.json. */
declare const __STUDIO_VERSION__: string;
