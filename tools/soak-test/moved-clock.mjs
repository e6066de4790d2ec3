/** Preloaded into the service: SIGUSR2 sets the clock of the process one hour ahead, or back again. */
const HOUR_MS = 3_600_000;
const RealDate = Date;
let offset = 0;

globalThis.Date = class extends RealDate {
  constructor(...args) {
    if (args.length === 0) super(RealDate.now() + offset);
    else super(...args);
  }
  static now() {
    return RealDate.now() + offset;
  }
};

process.on('SIGUSR2', () => {
  offset = offset === 0 ? HOUR_MS : 0;
});
