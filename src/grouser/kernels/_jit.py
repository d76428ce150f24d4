"""`kernel`: the one decorator of compiled code.

Numba's disk cache does not notice an edit in a file that a kernel calls into. So what is compiled as a unit, an entry
or a stage, lies in a folder named by a hash of all sources that decide what it does (`_sources.py`): an edit of any of
them starts a new folder, a stale answer cannot be returned, and other units stay as they are.

Kernels run without numba's memory manager (`_nrt`): what allocates does not compile, and passing tables of a hundred
arrays costs no reference counting (a pendulum's step went from 7.1 to 1.9 us). `fastmath` is limited to flags that
keep NaN and infinity meaningful, because divergence is detected by them.

Numba optimises and translates every kernel with all that it calls, so that what lies five calls below an entry is done
six times. Kernels that only others call are handed on as they are (`_InnerLibrary`), and done once, in the entry
(`_EntryLibrary`), with statements in a row combined to vectors: about half the time for the time loop of `implicit`,
and steps that cost a tenth less. What lies on disk are the entries.

Numba's passes for what kernels do not have, such as closures and array expressions, are left out (`NEEDLESS`): a
twentieth of the time.

Compiling makes millions of small objects that stay: looking for garbage among them took a sixth of the time (31 instead
of 26 s for the time loop of `penalty`), so it rests meanwhile.
"""

from __future__ import annotations

import gc
import os
from collections.abc import Container
from functools import partial
from pathlib import Path

import numba
from llvmlite.binding import Linkage
from numba.core import event
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler, Flags

from grouser.kernels._cache import CheckedCache
from grouser.kernels._cache_root import CACHE_ROOT
from grouser.kernels._garbage import look_again
from grouser.kernels._sources import PACKAGE, calc_unit_hash
from grouser.kernels._stage import Returns, Stage, find_calls, find_return_type
from grouser.kernels._typing import RememberingTarget, remember

FASTMATH = {"contract", "reassoc", "nsz", "arcp"}
NEEDLESS = {
    "with_lifting",
    "inline_closure_likes",
    "Rewrite dynamic raises",
    "make_function_op_code_to_jit_function",
    "inline_inlinables",
    "find_literally",
    "literal_unroll",
    "inline_overloads",
    "nopython_rewrites",
    "dump_parfor_diagnostics",
}
"""Passes of numba, by its names for them, that look for what kernels do not have and leave their code as it is."""


def find_unit_folder(file: Path) -> Path:
    """Folder of the units of a file: of this version of the sources that decide what they do."""
    return CACHE_ROOT / f"{file.stem}-{calc_unit_hash(file)}-numba{numba.__version__}"


def is_compiled() -> bool:
    """Whether forces of these sources lie on disk, which every run needs (else the first run has to compile)."""
    return any(find_unit_folder(PACKAGE / "formulations" / "forces.py").rglob("*.nbc"))


class _NoCollection(event.Listener):
    """Python does not look for garbage while a kernel is compiled."""

    def __init__(self) -> None:
        self._depth, self._was_enabled = 0, False

    def on_start(self, event):
        """Before a compilation. What a kernel calls is compiled meanwhile."""
        if self._depth == 0:
            self._was_enabled = gc.isenabled()
            gc.disable()
        self._depth += 1

    def on_end(self, event):
        """After it, also where it failed."""
        self._depth -= 1
        if self._depth == 0 and self._was_enabled:
            look_again()


event.register("numba:compile", _NoCollection())


class _Flags(Flags):
    """Options of a compilation, equal where they are: numba asks that 100000 times, and lists all of them each time."""

    def __hash__(self):
        return id(_Flags)

    def __eq__(self, other):
        return self._values == other._values if isinstance(other, _Flags) else super().__eq__(other)


class _InnerLibrary(JITCodeLibrary):
    """Code of a kernel that only other kernels call: neither linked with what it calls, nor optimised, nor
    translated."""

    def _optimize_functions(self, ll_module):
        """Not yet."""
        ll_module.data_layout = self._codegen._data_layout

    def finalize(self):
        """Nothing can be added any more. Whoever links it drops what is inlined everywhere: numba says so in a copy."""
        self._finalize_dynamic_globals()
        for function in self.get_defined_functions():
            if function.linkage == Linkage.external:
                function.linkage = Linkage.linkonce_odr
        self._shared_module = self._final_module
        self._finalized = True

    def get_pointer_to_function(self, name):
        """None: it has no machine code."""
        self._ensure_finalized()
        return 0

    @property
    def codegen(self):
        """Stands in for the generator of code, which is asked to connect machine code with its Python constants."""
        return self

    def set_env(self, name, env):
        """Nothing to connect: kernels have no Python objects."""


class _EntryLibrary(JITCodeLibrary):
    """Code of an entry, with all that it calls."""

    def _optimize_functions(self, ll_module):
        """Only what has code: numba prepares its passes for what is declared, too."""
        ll_module.data_layout = self._codegen._data_layout
        for function in ll_module.functions:
            if not function.is_declaration:
                passes, builder = self._codegen._function_pass_manager()
                passes.run(function, builder)

    def finalize(self):
        """Link what is called, and what that calls; optimise and translate it."""
        self._linking_libraries = _find_libraries(self)
        for called in self._linking_libraries:
            find_calls(self).update(find_calls(called))
        super().finalize()

    def _optimize_final_module(self):
        """Once. Numba does it twice, to find counts of references; kernels have no such counts."""
        passes, builder = self._codegen._module_pass_manager(loop_vectorize=True, slp_vectorize=True)
        passes.run(self._final_module, builder)


def _find_libraries(library: JITCodeLibrary) -> list[JITCodeLibrary]:
    """All libraries that have to be linked with a library, each once, what calls before what is called: the linker
    drops what nobody has called yet."""
    done: dict[JITCodeLibrary, None] = {}

    def visit(caller: JITCodeLibrary) -> None:
        for called in caller._linking_libraries:
            if called not in done:
                if isinstance(called, _InnerLibrary):
                    visit(called)
                done[called] = None

    visit(library)
    return list(reversed(done))


class _KernelCompiler(Compiler):
    """Numba's compiler without needless passes and questions."""

    def __init__(self, typingctx, targetctx, library, args, return_type, flags, locals_):
        super().__init__(typingctx, targetctx, library, args, return_type, _Flags(flags), locals_)
        self.state.typingctx = remember(typingctx)
        self.state.targetctx = RememberingTarget(self.state.targetctx)

    def define_pipelines(self):
        """The passes in their order."""
        (pipeline,) = super().define_pipelines()
        pipeline.passes = [one for one in pipeline.passes if one[0].name() not in NEEDLESS]
        pipeline.finalize()
        return [pipeline]


class _InnerCompiler(_KernelCompiler):
    """Compiles into an `_InnerLibrary`."""

    def __init__(self, typingctx, targetctx, library, args, return_type, flags, locals_):
        library = library or _InnerLibrary(targetctx.codegen(), "inner")
        super().__init__(typingctx, targetctx, library, args, return_type, flags, locals_)


class _EntryCompiler(_KernelCompiler):
    """Compiles into an `_EntryLibrary`."""

    def __init__(self, typingctx, targetctx, library, args, return_type, flags, locals_):
        library = library or _EntryLibrary(targetctx.codegen(), "entry")
        library.enable_object_caching()
        super().__init__(typingctx, targetctx, library, args, return_type, flags, locals_)


def _compile_together(dispatcher, compile_entry, *arguments):
    """Compile an entry for arguments, and the stages that it will call with them."""
    # here, since no unit changes with it (`_sources.py`)
    from grouser.kernels._workers import compile_together

    return compile_together(dispatcher, compile_entry, arguments)


def kernel(
    function=None,
    *,
    entry: bool = False,
    stage: Returns = False,
    rows: str = "",
    kinds: Container[int] | None = None,
    inline: bool = False,
    unlocked: bool = False,
):
    """Compile a function with the settings of the house.

    Parameters
    ----------
    entry : can be called from Python; others only from compiled code, which saves the time to compile the translation
        of their arguments (for a hundred arrays longer than the function itself)
    stage : compile it on its own, and let kernels call it by address (`_stage.py`): True, or what it returns
    rows : of a stage: table and array, as in "tyre.body", without whose rows nobody calls it; see `Stage`
    kinds : of a stage: values in this array without which nobody calls it
    inline : paste the function into its callers: for leaves called at few places with many arguments, where handing
        over the arguments would cost more than the work
    unlocked : leave Python to other threads meanwhile, so that several can share the work
    """

    def decorate(py_function):
        if entry or stage:
            folder = find_unit_folder(Path(py_function.__code__.co_filename))
            before, numba.config.CACHE_DIR = numba.config.CACHE_DIR, str(folder)
        try:
            compiled = numba.njit(
                pipeline_class=_EntryCompiler if entry or stage else _InnerCompiler,
                _nrt=False,
                fastmath=FASTMATH,
                error_model="numpy",
                nogil=unlocked,
                forceinline=inline,
                no_cpython_wrapper=not entry,
                no_cfunc_wrapper=True,
            )(py_function)
            if entry or stage:
                compiled._cache = CheckedCache(py_function)
                os.utime(folder)
            if entry:
                compiled._compile_for_args = partial(_compile_together, compiled, compiled._compile_for_args)
            return Stage(compiled, find_return_type(stage), rows, kinds) if stage else compiled
        finally:
            if entry or stage:
                numba.config.CACHE_DIR = before

    return decorate(function) if function is not None else decorate
