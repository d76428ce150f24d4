// Runs and their values, which of them pass the filters, and which one is chosen.

/** Columns of all runs. A filter is a range of numbers, or a piece of text. */
export class Rows {
  constructor(facts) {
    this.runs = facts.runs;
    this.columns = facts.columns.map((column) => new Column(column));
    this.count = this.runs.length;
    this.filters = new Map();
    this.shown = this.runs.map(() => true);
    this.chosen = null;
    this.listeners = [];
  }

  get(name) {
    return this.columns.find((column) => column.name === name);
  }

  of(role) {
    return this.columns.filter((column) => column.role === role);
  }

  subscribe(listen) {
    this.listeners.push(listen);
  }

  /** Set the filter of a column; null for none. */
  filter(name, wanted) {
    if (wanted === null) this.filters.delete(name);
    else this.filters.set(name, wanted);
    const tests = [...this.filters].map(([key, filter]) => this.makeTest(key, filter));
    this.shown = this.runs.map((_, i) => tests.every((test) => test(i)));
    this.tell("filter");
  }

  clear() {
    this.filters.clear();
    this.shown = this.runs.map(() => true);
    this.tell("filter");
  }

  choose(i) {
    this.chosen = this.chosen === i ? null : i;
    this.tell("choice");
  }

  tell(what) {
    for (const listen of this.listeners) listen(what);
  }

  makeTest(name, filter) {
    if (name === "status") return (i) => `${this.runs[i].status} ${this.runs[i].reason}`.toLowerCase().includes(filter.text);
    const { values, isNumber } = this.get(name);
    if (isNumber && filter.text === undefined) return (i) => values[i] !== null && values[i] >= filter.low && values[i] <= filter.high;
    return (i) => String(values[i] ?? "").toLowerCase().includes(filter.text);
  }
}

class Column {
  constructor(facts) {
    Object.assign(this, facts);
    const there = this.values.filter((value) => value !== null);
    this.isNumber = there.length > 0 && there.every((value) => typeof value === "number");
    this.levels = this.isNumber ? [] : [...new Set(there)];
    this.low = this.isNumber ? Math.min(...there) : 0;
    this.high = this.isNumber ? Math.max(...there) : Math.max(1, this.levels.length - 1);
  }

  /** Where a value lies between the least and the greatest, from 0 to 1; null where there is none. */
  share(i) {
    const value = this.values[i];
    if (value === null) return null;
    if (!this.isNumber) return this.levels.length > 1 ? this.levels.indexOf(value) / (this.levels.length - 1) : 0.5;
    if (this.high === this.low) return 0.5;
    if (this.isLog) return Math.log(value / this.low) / Math.log(this.high / this.low);
    return (value - this.low) / (this.high - this.low);
  }

  /** The number at a share. */
  at(share) {
    if (this.isLog) return this.low * (this.high / this.low) ** share;
    return this.low + share * (this.high - this.low);
  }
}
