// The clock of the report: what is shown is what was at `time`, and everything that shows it listens here.

export const SPEEDS = [0.05, 0.1, 0.25, 0.5, 1, 2, 4];

export class Player {
  constructor(start, end, step) {
    this.start = start;
    this.end = end;
    this.step = step; // between two frames of the result [s]
    this.time = start;
    this.speed = 1;
    this.isPlaying = false;
    this.isLooping = true;
    this.listeners = [];
    this.last = null;
  }

  /** Calls `listen(player)` whenever the time, the speed or the playing changes. */
  subscribe(listen) {
    this.listeners.push(listen);
    listen(this);
  }

  seek(time) {
    this.time = Math.min(this.end, Math.max(this.start, time));
    this.tell();
  }

  toggle(isPlaying = !this.isPlaying) {
    if (isPlaying && this.time >= this.end) this.time = this.start;
    this.isPlaying = isPlaying && this.end > this.start;
    this.last = null;
    this.tell();
  }

  setSpeed(speed) {
    this.speed = speed;
    this.tell();
  }

  changeSpeed(places) {
    const place = SPEEDS.indexOf(this.speed) + places;
    this.setSpeed(SPEEDS[Math.min(SPEEDS.length - 1, Math.max(0, place))]);
  }

  setLooping(isLooping) {
    this.isLooping = isLooping;
    this.tell();
  }

  /** Go on by the time that has passed on the clock [ms]. */
  advance(clock) {
    if (!this.isPlaying) return;
    // a page that was hidden for a while does not jump
    const passed = this.last === null ? 0 : Math.min(0.1, (clock - this.last) / 1000);
    this.last = clock;
    let time = this.time + this.speed * passed;
    if (time >= this.end) {
      if (this.isLooping) time = this.start;
      else {
        time = this.end;
        this.isPlaying = false;
      }
    }
    this.time = time;
    this.tell();
  }

  tell() {
    for (const listen of this.listeners) listen(this);
  }
}
