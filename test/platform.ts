/** Starts what the tests run on, once for all files. */
export default function setup(): void {}
