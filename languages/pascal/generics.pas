unit Generics;

interface

type
  TList<T: class> = class(TObject)
    procedure Add(const A: T); overload;
    class operator Implicit(A: Integer): TList<T>;
  end;

implementation

procedure TList<T>.Add(const A: T);
begin
end;

function TList<T>.&End: Integer;
{$IFDEF FPC}
begin
  Result := 1;
end;
{$ELSE}
begin
  Result := 2;
end;
{$ENDIF}

procedure After;
begin
end;

end.
