#include "src/simt/source.hpp"

#include <cxxabi.h>
#include <dwarf.h>
#include <elf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <link.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <regex>
#include <set>
#include <string_view>
#include <unordered_map>

#include "kernels/rounding.hpp"

// The linker's and the C library's agreement on thread-local storage (ELF Handling For Thread-Local Storage): where
// the calling thread has that of a loaded object.
struct TlsIndex {
  unsigned long module, offset;
};
extern "C" void* __tls_get_addr(TlsIndex*);

namespace redbench::simt {
namespace {

/// A path in the DWARF, without the repository's folder at build time.
std::string shown_path(std::string_view path) {
  constexpr std::string_view file = __FILE__, own = "src/simt/source.cpp";
  static_assert(file.ends_with(own));
  constexpr std::string_view root = file.substr(0, file.size() - own.size());
  return std::string(path.starts_with(root) ? path.substr(root.size()) : path);
}

void replace_all(std::string& text, std::string_view word, std::string_view by) {
  for (std::size_t at; (at = text.find(word)) != text.npos;) text.replace(at, word.size(), by);
}

bool is_language_header(std::string_view path) {
  return path.ends_with("kernels/contract/simt_language.hpp");
}

struct Function {
  Dwarf_Addr low, high;
  Dwarf_Off die;
};

/// The functions of one compilation unit.
struct Unit {
  std::vector<Function> functions;             // by low
  std::map<Dwarf_Off, Dwarf_Off> concrete_of;  // abstract instance or declaration -> the one with code
};

Dwarf_Off offset_of(Dwarf_Die& die) { return dwarf_dieoffset(&die); }

std::optional<Dwarf_Die> referred(Dwarf_Die& die, unsigned name) {
  Dwarf_Attribute attribute;
  Dwarf_Die target;
  if (!dwarf_attr(&die, name, &attribute) || !dwarf_formref_die(&attribute, &target)) return std::nullopt;
  return target;
}

template <class Visit>
void for_children(Dwarf_Die& parent, Visit visit) {
  Dwarf_Die child;
  if (dwarf_child(&parent, &child) != 0) return;
  do visit(child);
  while (dwarf_siblingof(&child, &child) == 0);
}

void index_functions(Dwarf_Die& scope, Unit& unit) {
  for_children(scope, [&](Dwarf_Die& die) {
    switch (dwarf_tag(&die)) {
      case DW_TAG_namespace:
      case DW_TAG_structure_type:
      case DW_TAG_class_type:
        index_functions(die, unit);
        break;
      case DW_TAG_subprogram: {
        Dwarf_Addr base, low, high;
        bool has_code = false;
        for (ptrdiff_t at = 0; (at = dwarf_ranges(&die, at, &base, &low, &high)) > 0;) {
          if (low == high) continue;
          unit.functions.push_back({low, high, offset_of(die)});
          has_code = true;
        }
        if (!has_code) break;
        // An out-of-line instance may name an abstract one, which names the declaration.
        Dwarf_Die origin = die;
        for (unsigned name : {DW_AT_abstract_origin, DW_AT_specification})
          if (const auto next = referred(origin, name)) {
            origin = *next;
            unit.concrete_of[offset_of(origin)] = offset_of(die);
          }
        break;
      }
      default:
        break;
    }
  });
}

/// DWARF and symbols of one loaded object: the program, or a kernel file's that it has loaded.
class Object {
 public:
  explicit Object(Dwfl_Module* module);
  SourceLine line(Dwarf_Addr pc);
  KernelSource kernel(const void* function);

 private:
  Unit& unit_of(Dwarf_Die& unit_die);
  std::optional<Dwarf_Die> function_at(Dwarf_Die& unit_die, Dwarf_Addr pc);
  void collect_shared(Unit& unit, Dwarf_Die function, std::set<Dwarf_Off>& seen, KernelSource& kernel);
  void add_shared(Dwarf_Die& variable, KernelSource& kernel);

  Dwfl_Module* module_;  // null: nothing is known
  std::unordered_map<Dwarf_Off, std::unique_ptr<Unit>> units_;
  std::unordered_map<std::size_t, std::size_t> thread_symbol_bytes_;  // by offset
};

/// Where and how the object that holds an address was loaded.
struct LoadedObject {
  std::string path;  // empty: the program itself
  Dwarf_Addr bias = 0;
  std::size_t storage_module = 0, storage_bytes = 0;  // its thread-local storage
};

LoadedObject object_around(Dwarf_Addr address) {
  struct Search {
    Dwarf_Addr address;
    LoadedObject found;
  } search{address, {}};
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* argument) {
        Search& search = *static_cast<Search*>(argument);
        std::size_t storage_bytes = 0;
        bool holds = false;
        for (int i = 0; i < info->dlpi_phnum; ++i) {
          const auto& segment = info->dlpi_phdr[i];
          if (segment.p_type == PT_TLS) storage_bytes = segment.p_memsz;
          if (segment.p_type == PT_LOAD)
            holds |= search.address - (info->dlpi_addr + segment.p_vaddr) < segment.p_memsz;
        }
        if (holds) search.found = {info->dlpi_name, info->dlpi_addr, info->dlpi_tls_modid, storage_bytes};
        return int(holds);
      },
      &search);
  return search.found;
}

Object::Object(Dwfl_Module* module) : module_(module) {
  const int count = module_ ? dwfl_module_getsymtab(module_) : 0;
  for (int i = 1; i < count; ++i) {
    GElf_Sym symbol;
    GElf_Addr address;
    const char* const name =
        dwfl_module_getsym_info(module_, i, &symbol, &address, nullptr, nullptr, nullptr);
    if (!name || GELF_ST_TYPE(symbol.st_info) != STT_TLS || symbol.st_shndx == SHN_UNDEF) continue;
    // st_value of a thread-local symbol is its offset in the storage's template.
    thread_symbol_bytes_[symbol.st_value] = symbol.st_size;
  }
}

Unit& Object::unit_of(Dwarf_Die& unit_die) {
  std::unique_ptr<Unit>& unit = units_[offset_of(unit_die)];
  if (!unit) {
    unit = std::make_unique<Unit>();
    index_functions(unit_die, *unit);
    std::ranges::sort(unit->functions, {}, &Function::low);
  }
  return *unit;
}

std::optional<Dwarf_Die> Object::function_at(Dwarf_Die& unit_die, Dwarf_Addr pc) {
  const std::vector<Function>& functions = unit_of(unit_die).functions;
  auto after = std::ranges::upper_bound(functions, pc, {}, &Function::low);
  Dwarf_Die die;
  Dwarf_Addr bias;
  if (after == functions.begin() || pc >= (--after)->high ||
      !dwarf_offdie(dwfl_module_getdwarf(module_, &bias), after->die, &die))
    return std::nullopt;
  return die;
}

/// Appends the inlined calls around pc, outermost first.
void inlined_calls(Dwarf_Die& scope, Dwarf_Addr pc, std::vector<Dwarf_Die>& calls) {
  for_children(scope, [&](Dwarf_Die& die) {
    const int tag = dwarf_tag(&die);
    if ((tag != DW_TAG_inlined_subroutine && tag != DW_TAG_lexical_block) || dwarf_haspc(&die, pc) <= 0)
      return;
    if (tag == DW_TAG_inlined_subroutine) calls.push_back(die);
    inlined_calls(die, pc, calls);
  });
}

SourceLine call_site(Dwarf_Die& unit_die, Dwarf_Die& inlined) {
  Dwarf_Attribute attribute;
  Dwarf_Word file = 0, line = 0;
  Dwarf_Files* files = nullptr;
  std::size_t count = 0;
  if (dwarf_formudata(dwarf_attr(&inlined, DW_AT_call_file, &attribute), &file) != 0 ||
      dwarf_formudata(dwarf_attr(&inlined, DW_AT_call_line, &attribute), &line) != 0 ||
      dwarf_getsrcfiles(&unit_die, &files, &count) != 0)
    return {};
  const char* const path = dwarf_filesrc(files, file, nullptr, nullptr);
  return {path ? path : "", int(line)};
}

SourceLine Object::line(Dwarf_Addr pc) {
  if (!module_) return {};
  SourceLine found;
  if (Dwfl_Line* const line = dwfl_module_getsrc(module_, pc))
    if (const char* const path = dwfl_lineinfo(line, nullptr, &found.line, nullptr, nullptr, nullptr))
      found.file = path;
  if (is_language_header(found.file)) {
    Dwarf_Addr bias = 0;
    Dwarf_Die* const unit_die = dwfl_module_addrdie(module_, pc, &bias);
    std::vector<Dwarf_Die> calls;
    if (unit_die)
      if (auto function = function_at(*unit_die, pc - bias)) inlined_calls(*function, pc - bias, calls);
    for (; is_language_header(found.file) && !calls.empty(); calls.pop_back())
      found = call_site(*unit_die, calls.back());
  }
  found.file = shown_path(found.file);
  return found;
}

void Object::add_shared(Dwarf_Die& variable, KernelSource& kernel) {
  Dwarf_Attribute location;
  Dwarf_Op* operations = nullptr;
  std::size_t count = 0;
  if (!dwarf_attr(&variable, DW_AT_location, &location) ||
      dwarf_getlocation(&location, &operations, &count) != 0 || count != 2)
    return;
  const auto last = operations[1].atom;
  if (last != DW_OP_form_tls_address && last != DW_OP_GNU_push_tls_address) return;
  const std::size_t offset = operations[0].number;
  const auto symbol = thread_symbol_bytes_.find(offset);
  const char* const name = dwarf_diename(&variable);
  if (symbol == thread_symbol_bytes_.end() || !symbol->second) return;
  for (const SharedVariable& known : kernel.shared)
    if (known.offset == offset) return;
  kernel.shared.push_back({name ? name : "?", offset, symbol->second});
}

void Object::collect_shared(Unit& unit, Dwarf_Die function, std::set<Dwarf_Off>& seen, KernelSource& kernel) {
  if (!seen.insert(offset_of(function)).second) return;
  const auto follow = [&](Dwarf_Die& die, unsigned name) {
    const auto target = referred(die, name);
    if (!target) return;
    Dwarf_Die callee = *target;
    collect_shared(unit, callee, seen, kernel);
    if (const auto concrete = unit.concrete_of.find(offset_of(callee)); concrete != unit.concrete_of.end()) {
      Dwarf_Addr bias;
      Dwarf_Die die_with_code;
      if (dwarf_offdie(dwfl_module_getdwarf(module_, &bias), concrete->second, &die_with_code))
        collect_shared(unit, die_with_code, seen, kernel);
    }
  };
  const auto visit = [&](auto& self, Dwarf_Die& scope) -> void {
    for_children(scope, [&](Dwarf_Die& die) {
      switch (dwarf_tag(&die)) {
        case DW_TAG_variable:
          add_shared(die, kernel);
          break;
        case DW_TAG_inlined_subroutine:
          follow(die, DW_AT_abstract_origin);
          [[fallthrough]];
        case DW_TAG_lexical_block:
          self(self, die);
          break;
        case DW_TAG_call_site:
          follow(die, DW_AT_call_origin);
          break;
        case DW_TAG_GNU_call_site:
          follow(die, DW_AT_abstract_origin);
          break;
        default:
          break;
      }
    });
  };
  visit(visit, function);
  follow(function, DW_AT_abstract_origin);
}

KernelSource Object::kernel(const void* function) {
  KernelSource kernel;
  const auto address = Dwarf_Addr(function);
  bool is_of_one_file = false;
  if (const char* const mangled = module_ ? dwfl_module_addrname(module_, address) : nullptr) {
    const std::string name = demangled(mangled);
    kernel.name = short_name(name);
    is_of_one_file = name.find("(anonymous namespace)") != name.npos;
  } else {
    kernel.name = "an unnamed kernel";
  }
  Dwarf_Addr bias = 0;
  Dwarf_Die* const unit_die = module_ ? dwfl_module_addrdie(module_, address, &bias) : nullptr;
  if (!unit_die) return kernel;
  if (const char* const file = is_of_one_file ? dwarf_diename(unit_die) : nullptr)
    kernel.file = shown_path(file);
  if (const auto die = function_at(*unit_die, address - bias)) {
    std::set<Dwarf_Off> seen;
    collect_shared(unit_of(*unit_die), *die, seen, kernel);
  }
  std::ranges::sort(kernel.shared, {}, &SharedVariable::offset);
  for (const SharedVariable& variable : kernel.shared)
    kernel.shared_bytes += round_up(variable.bytes, 16);  // the linker's alignment of arrays
  return kernel;
}

/// The objects that kernels are in, each read when it is first asked for; used under objects_mutex.
class Objects {
 public:
  Objects() {
    static const Dwfl_Callbacks callbacks{
        .find_elf = [](Dwfl_Module*, void**, const char*, Dwarf_Addr, char**, Elf**) { return -1; },
        .find_debuginfo = [](Dwfl_Module*, void**, const char*, Dwarf_Addr, const char*, const char*,
                             GElf_Word, char**) { return -1; },
        .section_address = nullptr,
        .debuginfo_path = nullptr};
    dwfl_ = dwfl_begin(&callbacks);
  }

  Object& around(Dwarf_Addr address) {
    Dwfl_Module* module = dwfl_ ? dwfl_addrmodule(dwfl_, address) : nullptr;
    if (dwfl_ && !module) {
      const LoadedObject loaded = object_around(address);
      const std::string path = loaded.path.empty() ? "/proc/self/exe" : loaded.path;
      dwfl_report_begin_add(dwfl_);
      module = dwfl_report_elf(dwfl_, path.c_str(), path.c_str(), -1, loaded.bias, true);
      dwfl_report_end(dwfl_, nullptr, nullptr);
    }
    std::unique_ptr<Object>& object = objects_[module];
    if (!object) object = std::make_unique<Object>(module);
    return *object;
  }

 private:
  Dwfl* dwfl_;
  std::unordered_map<Dwfl_Module*, std::unique_ptr<Object>> objects_;
};

Objects& objects() {
  static Objects objects;
  return objects;
}
std::mutex objects_mutex;

}  // namespace

std::string demangled(std::string symbol) {
  replace_all(symbol, "DF16_", "Dh");
  char* const text = abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, nullptr);
  static const std::regex half(R"(\bhalf\b)");
  const std::string name = text ? std::regex_replace(text, half, "__half") : symbol;
  std::free(text);
  return name;
}

std::string short_name(std::string name) {
  replace_all(name, "(anonymous namespace)::", "");
  int depth = 0;
  for (std::size_t i = 0; i < name.size(); ++i) {  // cut the parameters
    depth += (name[i] == '<') - (name[i] == '>');
    if (name[i] == '(' && depth == 0) name.resize(i);
  }
  if (name.ends_with('>') || name.find(' ') < name.find('<')) {  // cut the return type
    std::size_t start = 0;
    depth = 0;
    for (std::size_t i = 0; i < name.size(); ++i) {
      depth += (name[i] == '<') - (name[i] == '>');
      if (name[i] == ' ' && depth == 0) start = i + 1;
    }
    name.erase(0, start);
  }
  replace_all(name, "redbench::", "");
  replace_all(name, "on_simt::", "");
  replace_all(name, "> >", ">>");
  return name;
}

std::string to_string(const SourceLine& line) {
  return line.line ? line.file + ":" + std::to_string(line.line) : "an unknown line";
}

SourceLine line_of_call(const void* return_address) {
  const std::lock_guard lock(objects_mutex);
  // The call itself ends one byte before the address that it returns to.
  const Dwarf_Addr call = Dwarf_Addr(return_address) - 1;
  return objects().around(call).line(call);
}

const KernelSource& kernel_source(const void* function) {
  static std::unordered_map<const void*, std::unique_ptr<KernelSource>> known;
  const std::lock_guard lock(objects_mutex);
  std::unique_ptr<KernelSource>& kernel = known[function];
  if (!kernel) {
    const LoadedObject loaded = object_around(Dwarf_Addr(function));
    kernel = std::make_unique<KernelSource>(objects().around(Dwarf_Addr(function)).kernel(function));
    kernel->storage_module = loaded.storage_module;
    kernel->storage_bytes = loaded.storage_bytes;
    kernel->base = reinterpret_cast<const void*>(loaded.bias);
  }
  return *kernel;
}

std::byte* thread_storage(const KernelSource& kernel) {
  if (!kernel.storage_module) return nullptr;
  TlsIndex start{kernel.storage_module, 0};
  return static_cast<std::byte*>(__tls_get_addr(&start));
}

}  // namespace redbench::simt
