// Stands for the package qs in the bundle. Only the router of InstantSearch uses it, which the explorer replaces.
export default {};
